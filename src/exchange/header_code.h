// The code of an exported header: C99 and C++11, in which @ is the name of the model. What depends
// on the model stands in its constants; a header has the parts that its model needs.
#pragma once

namespace simplexboost::header_code {

inline constexpr const char* kBegin =
    R"(/* Constants stay where the program is: in flash, where there is one. */
#ifdef __cplusplus
#define @_CONSTANT static constexpr
#else
#define @_CONSTANT static const
#endif
/* Sums and products are rounded one by one, as the library does. */
#if defined(__GNUC__) && !defined(__clang__)
#define @_EXACT __attribute__((optimize("fp-contract=off")))
#else
#define @_EXACT
#endif

)";

inline constexpr const char* kLeaf = R"(
/* The leaf that a row falls into. */
static inline uint32_t @_leaf(uint32_t tree, const double* x) {
  const uint32_t begin = @_tree_node[tree];
  int32_t at = 0;
  if (begin == @_tree_node[tree + 1]) return 0;
  do {
    const uint32_t node = begin + (uint32_t)at;
    at = @_goes_left(node, x[@_feature[node]]) ? (int32_t)@_left[node] : (int32_t)@_right[node];
  } while (at >= 0);
  return (uint32_t)(-at - 1);
}
)";

inline constexpr const char* kNumbers = R"(
static inline int @_goes_left(uint32_t node, double value) {
  if (value != value) return (@_flags[node] & 2u) != 0;
  return value <= (double)@_threshold[node];
}
)";

inline constexpr const char* kNumbersAndCategories = R"(
/* Categories are codes; beyond a set they go right. */
static inline int @_goes_left(uint32_t node, double value) {
  if ((@_flags[node] & 1u) == 0) {
    if (value != value) return (@_flags[node] & 2u) != 0;
    return value <= (double)@_threshold[node];
  }
  if (!(value >= 0)) return (@_flags[node] & 2u) != 0;
  if (value >= 32.0 * @_set_words[node]) return 0;
  {
    const uint32_t code = (uint32_t)value;
    return (int)(@_sets[@_set[node] + code / 32] >> (code % 32) & 1u);
  }
}
)";

inline constexpr const char* kFloatValue = R"(
static inline float @_value(uint32_t i) { return @_values[i]; }
)";

inline constexpr const char* kShortValue = R"(
/* Values are bfloat16, the upper halves of floats. */
static inline float @_value(uint32_t i) {
  const uint32_t bits = (uint32_t)@_values[i] << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
)";

inline constexpr const char* kOutputs = R"(
@_EXACT static inline void @_outputs(const double* x, float* f) {
  uint32_t tree, j;
  for (j = 0; j < @_OUTPUTS; ++j) f[j] = @_bias[j];
  for (tree = 0; tree < @_TREES; ++tree) @_add_leaf(tree, @_leaf(tree, x), f);
}
)";

// Followed by kTakeLinear where trees take from outputs, and by kLinearEnd.
inline constexpr const char* kLinearBegin = R"(
/* Linear terms go on level beyond their range; a missing value adds nothing. */
@_EXACT static inline void @_add_linear(uint32_t tree, const double* x, float* f) {
  const uint32_t width = @_tree_width[tree];
  uint32_t slope = @_tree_slope[tree];
  uint32_t k, j;
  for (k = @_tree_linear[tree]; k < @_tree_linear[tree + 1]; ++k, slope += width) {
    const double low = @_linear_low[k], high = @_linear_high[k];
    double at = x[@_linear_feature[k]];
    if (at != at) continue;
    at = ((at < low ? low : at > high ? high : at) - @_linear_center[k]) / (high - low);
    for (j = 0; j < width; ++j)
      f[@_tree_output[tree] + j] += (float)(at * (double)@_slopes[slope + j]);
)";

inline constexpr const char* kTakeLinear = R"(    if (@_tree_minus[tree] == UINT32_MAX) continue;
    for (j = 0; j < width; ++j)
      f[@_tree_minus[tree] + j] -= (float)(at * (double)@_slopes[slope + j]);
)";

inline constexpr const char* kLinearEnd = R"(  }
}
@_EXACT static inline void @_outputs(const double* x, float* f) {
  uint32_t tree, j;
  for (j = 0; j < @_OUTPUTS; ++j) f[j] = @_bias[j];
  for (tree = 0; tree < @_TREES; ++tree) {
    @_add_leaf(tree, @_leaf(tree, x), f);
    @_add_linear(tree, x, f);
  }
}
)";

// Each of these two is followed by kTake where trees take from outputs, and by a brace.
inline constexpr const char* kAddVector = R"(
@_EXACT static inline void @_add_leaf(uint32_t tree, uint32_t leaf, float* f) {
  const uint32_t width = @_tree_width[tree];
  const uint32_t first = @_tree_value[tree] + leaf * width;
  uint32_t j;
  float* to = f + @_tree_output[tree];
  for (j = 0; j < width; ++j) to[j] += @_value(first + j);
)";

inline constexpr const char* kAddSparse = R"(
/* Leaves name the outputs that they add to, where the width is 0. */
@_EXACT static inline void @_add_leaf(uint32_t tree, uint32_t leaf, float* f) {
  const uint32_t width = @_tree_width[tree];
  const uint32_t first = @_tree_value[tree] + leaf * (width == 0 ? 1u : width);
  uint32_t j;
  float* to = f + @_tree_output[tree];
  for (j = 0; j < width; ++j) to[j] += @_value(first + j);
  if (width == 0)
    for (j = first == 0 ? 0 : @_entry_end[first - 1]; j < @_entry_end[first]; ++j)
      to[@_entry_output[j]] += @_entry_value[j];
)";

inline constexpr const char* kTake = R"(  /* What goes to some outputs is taken from others. */
  if (@_tree_minus[tree] == UINT32_MAX) return;
  to = f + @_tree_minus[tree];
  for (j = 0; j < width; ++j) to[j] -= @_value(first + j);
)";

inline constexpr const char* kPlainScores = R"(
/* The scores of a row's classes: @_FEATURES numbers in, @_CLASSES numbers out. */
static inline void @_scores(const double* x, float* scores) { @_outputs(x, scores); }
)";

inline constexpr const char* kSimplexScores = R"(
/* The scores of a row's classes: @_FEATURES numbers in, @_CLASSES numbers out. */
@_EXACT static inline void @_scores(const double* x, float* scores) {
  float f[@_OUTPUTS];
  double carry = 0;
  uint32_t k;
  @_outputs(x, f);
  for (k = 0; k < @_OUTPUTS; ++k) {
    scores[k] = (float)(@_half_diagonal[k] * (double)f[k] - carry);
    carry += @_half_below[k] * (double)f[k];
  }
  scores[@_OUTPUTS] = (float)-carry;
}
)";

inline constexpr const char* kCodewordScores = R"(
/* The scores of a row's classes: @_FEATURES numbers in, @_CLASSES numbers out. */
@_EXACT static inline void @_scores(const double* x, float* scores) {
  float f[@_OUTPUTS];
  uint32_t c, k;
  @_outputs(x, f);
  for (k = 0; k < @_CLASSES; ++k) scores[k] = 0;
  for (c = 0; c < @_OUTPUTS; ++c)
    for (k = 0; k < @_CLASSES; ++k) scores[k] += f[c] * @_half_codewords[c * @_CLASSES + k];
}
)";

inline constexpr const char* kClass = R"(
/* The class of a row, the lower one of equals. */
static inline uint32_t @_class(const double* x) {
  float scores[@_CLASSES];
  uint32_t k, best = 0;
  @_scores(x, scores);
  for (k = 1; k < @_CLASSES; ++k)
    if (scores[k] > scores[best]) best = k;
  return best;
}
)";

// link: 0 softmax, 1 logistic, 2 shares.
inline constexpr const char* kLink = R"(
static inline double @_log_sigmoid(double x) {
  return x >= 0 ? -log1p(exp(-x)) : x - log1p(exp(x));
}

/* Scores as probabilities: exponentials (0), one by one (1), in proportion (2). */
static inline void @_link(int link, double scale, double shift, const float* u, double* p) {
  const int sets = @_MULTI_LABEL;
  double top = 0, sum = 0;
  uint32_t k;
  for (k = 0; k < @_CLASSES; ++k) {
    const double x = scale * (double)u[k];
    p[k] = link == 0 ? x : link == 1 ? @_log_sigmoid(x - shift) : x;
    if (link == 2) p[k] = sets ? fmin(fmax((1 + x) / 2, 0), 1) : fmax(x, 0) + shift;
    if (link == 1 && sets) p[k] = exp(p[k]);
    if (k == 0 || p[k] > top) top = p[k];
  }
  if (sets && link != 0) return;
  for (k = 0; k < @_CLASSES; ++k) sum += p[k] = link == 2 ? p[k] : exp(p[k] - top);
  for (k = 0; k < @_CLASSES; ++k) p[k] = sum > 0 ? p[k] / sum : 1.0 / @_CLASSES;
}
)";

inline constexpr const char* kPooledScores = R"(
static inline double @_pooled_log(double p) {
  const double least = 1e-12;
  p = fmin(fmax(p, least), @_MULTI_LABEL ? 1 - least : 1.0);
  return @_MULTI_LABEL ? log(p) - log1p(-p) : log(p);
}

/* The scores of a row's classes, @_FEATURES numbers in, @_CLASSES numbers out: logs of what the
 * members say together. */
static inline void @_scores(const double* x, float* scores) {
  float f[@_OUTPUTS];
  double sum[@_CLASSES], p[@_CLASSES];
  uint32_t m, k;
  @_outputs(x, f);
  for (k = 0; k < @_CLASSES; ++k) sum[k] = 0;
  for (m = 0; m < @_MEMBERS; ++m) {
    @_link((int)@_member_link[m], @_member_scale[m], @_member_shift[m], f + m * @_CLASSES, p);
    for (k = 0; k < @_CLASSES; ++k)
      sum[k] += @_member_weight[m] * (@_PRODUCT ? @_pooled_log(p[k]) : p[k]);
  }
  for (k = 0; k < @_CLASSES; ++k)
    scores[k] = (float)(@_PRODUCT ? sum[k] : @_pooled_log(sum[k]));
}
)";

inline constexpr const char* kProba = R"(
/* The probabilities of a row's classes. */
static inline void @_proba(const double* x, double* p) {
  float scores[@_CLASSES];
  @_scores(x, scores);
  @_link(@_LINK, @_scale, @_shift, scores, p);
}
)";

inline constexpr const char* kSavageProba = R"(
/* The probabilities of a row's classes, by Savage's loss. */
static inline void @_proba(const double* x, double* p) {
  float scores[@_CLASSES];
  double rest = 0, top, sum = 0;
  uint32_t k, best = 0;
  @_scores(x, scores);
  for (k = 1; k < @_CLASSES; ++k)
    if (scores[k] > scores[best]) best = k;
  for (k = 0; k < @_CLASSES; ++k)
    if (k != best) rest += p[k] = exp(@_scale * ((double)scores[k] - (double)scores[best]));
  for (k = 0; k < @_CLASSES; ++k) {
    const double z = @_scale * ((double)scores[k] - (double)scores[best]);
    const double others = k == best ? rest : 1 + fmax(rest - p[k], 0);
    const double log_others = log(fmax(others, 2.2250738585072014e-308));
    const double s = log_others - z;
    p[k] = z + log_others + 3 * log(1 + exp(-fabs(s))) - (2 * fmin(s, 0) - fmax(s, 0));
  }
  top = p[0];
  for (k = 1; k < @_CLASSES; ++k) top = fmax(top, p[k]);
  for (k = 0; k < @_CLASSES; ++k) sum += p[k] = exp(p[k] - top);
  for (k = 0; k < @_CLASSES; ++k) p[k] /= sum;
}
)";

// model/predict/adjusted.cpp.
inline constexpr const char* kLogs = R"(
/* Logs of probabilities, or of the odds of labels, that are told to be at least 1e-12; and back. */
static inline double @_told(double p) {
  return fmin(fmax(p, 1e-12), @_MULTI_LABEL ? 1 - 1e-12 : 1.0);
}
static inline double @_told_log(double p) {
  p = @_told(p);
  return @_MULTI_LABEL ? log(p) - log1p(-p) : log(p);
}
static inline void @_from_logs(double* z) {
  double top = z[0], sum = 0;
  uint32_t k;
  for (k = 0; @_MULTI_LABEL && k < @_CLASSES; ++k) z[k] = 1 / (1 + exp(-z[k]));
  if (@_MULTI_LABEL) return;
  for (k = 1; k < @_CLASSES; ++k) top = fmax(top, z[k]);
  for (k = 0; k < @_CLASSES; ++k) sum += z[k] = exp(z[k] - top);
  for (k = 0; k < @_CLASSES; ++k) z[k] /= sum;
}
)";

inline constexpr const char* kMapByScale = R"(
static inline void @_map(double* p) {
  uint32_t k;
  for (k = 0; k < @_CLASSES; ++k) p[k] = @_map_scale[k] * @_told_log(p[k]) + @_map_shift[k];
  @_from_logs(p);
}
)";

inline constexpr const char* kMapByCurve = R"(
/* Curves: linear between knots, level beyond them. */
static inline void @_map(double* p) {
  uint32_t k, i, begin = 0;
  double sum = 0;
  for (k = 0; k < @_CLASSES; ++k) {
    const double x = p[k];
    for (i = begin; i < @_knot_end[k] && @_knot_p[i] <= x;) ++i;
    if (i == begin)
      p[k] = @_knot_q[i];
    else if (i == @_knot_end[k])
      p[k] = @_knot_q[i - 1];
    else
      p[k] = @_knot_q[i - 1] + (x - @_knot_p[i - 1]) / (@_knot_p[i] - @_knot_p[i - 1]) *
                                   (@_knot_q[i] - @_knot_q[i - 1]);
    sum += p[k] = @_told(p[k]);
    begin = @_knot_end[k];
  }
  for (k = 0; !@_MULTI_LABEL && k < @_CLASSES; ++k) p[k] /= sum;
}
)";

inline constexpr const char* kPriors = R"(
/* For other shares of the classes than those of training. */
static inline void @_move_shares(double* p) {
  uint32_t k;
  for (k = 0; k < @_CLASSES; ++k) p[k] = @_told_log(p[k]) + @_prior_shift[k];
  @_from_logs(p);
}
)";

inline constexpr const char* kAdjustedBegin = R"(
/* The probabilities of a row's classes. */
static inline void @_proba(const double* x, double* p) {
  @_own_proba(x, p);
)";

inline constexpr const char* kAdjustedEnd = R"(}

/* The scores of a row's classes: logs of their probabilities. */
static inline void @_scores(const double* x, float* scores) {
  double p[@_CLASSES];
  uint32_t k;
  @_proba(x, p);
  for (k = 0; k < @_CLASSES; ++k) scores[k] = (float)@_told_log(p[k]);
}
)";

inline constexpr const char* kNames = R"(
static inline const char* @_class_name(uint32_t k) { return k < @_CLASSES ? @_class_names[k] : ""; }
static inline const char* @_feature_name(uint32_t f) {
  return f < @_FEATURES ? @_feature_names[f] : "";
}
)";

}  // namespace simplexboost::header_code
