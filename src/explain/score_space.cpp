#include "explain/score_space.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "codeword/simplex.h"
#include "explain/shap_kernels.h"

namespace simplexboost {
namespace {

constexpr std::uint32_t kNoColumn = 0xffffffff;

}  // namespace

bool explains_shares(const Ensemble& ensemble) {
  return !ensemble.members.empty() &&
         std::all_of(ensemble.members.begin(), ensemble.members.end(),
                     [](const Member& member) { return member.link == Link::kShares; });
}

// Members of other links are pooled by the logarithms of their probabilities, which differ from
// their scaled scores by what all classes share; shares beside them count by the slope of the
// logarithm (several labels: of the log-odds) at even chances.
std::vector<double> member_factors(const Ensemble& ensemble) {
  const auto classes = static_cast<double>(ensemble.classes());
  const bool all_shares = explains_shares(ensemble);
  std::vector<double> factors;
  for (const Member& member : ensemble.members) {
    double factor = member.scale;
    if (member.link == Link::kShares && ensemble.schema.multi_label)
      factor *= all_shares ? 0.5 : 2;
    else if (member.link == Link::kShares)
      factor *= (all_shares ? 1 : classes) / (1 + classes * member.shift);
    factors.push_back(member.weight * factor);
  }
  return factors;
}

ScoreSpace::ScoreSpace(const Ensemble& ensemble, std::vector<std::int32_t> classes,
                       std::size_t a_row)
    : ensemble_(ensemble),
      classes_(std::move(classes)),
      column_of_class_(ensemble.classes(), kNoColumn),
      factors_(member_factors(ensemble)) {
  constexpr std::size_t kFewOutputs = 32;
  const std::size_t outputs = ensemble.forest.outputs;
  in_outputs_ = has_words() && outputs <= std::max(kFewOutputs, 2 * a_row);
  for (std::size_t c = 0; c < classes_.size(); ++c)
    column_of_class_[static_cast<std::size_t>(classes_[c])] = static_cast<std::uint32_t>(c);
  if (ensemble.simplex) {
    for (std::size_t j = 0; j < outputs; ++j) {
      diagonal_.push_back(simplex_diagonal(ensemble.classes(), j) / 2);
      below_.push_back(simplex_below(ensemble.classes(), j) / 2);
    }
  } else if (in_outputs_) {
    const std::size_t stride = shap_stride(classes_.size());
    words_.resize(outputs * stride);
    for (std::size_t j = 0; j < outputs; ++j)
      for (std::size_t c = 0; c < classes_.size(); ++c)
        words_[j * stride + c] =
            static_cast<double>(
                ensemble.codewords[static_cast<std::size_t>(classes_[c]) * outputs + j]) /
            2;
  }
}

void ScoreSpace::add_range(std::size_t output, std::size_t width, bool minus,
                           std::vector<ValueRange>& found) const {
  std::size_t low = this->width();
  std::size_t high = 0;
  for (std::size_t c = 0; c < width; ++c) {
    const std::uint32_t column = column_of_output(output + c);
    if (column == kNoColumn) continue;
    low = std::min<std::size_t>(low, column);
    high = std::max<std::size_t>(high, column + 1);
  }
  if (low < high) found.push_back({low, high - low, minus});
}

std::vector<ValueRange> ScoreSpace::ranges(const TreeSpan& tree) const {
  // Chosen classes of many outputs: each vector is decoded at once.
  if (!in_outputs_ && has_words()) return {{0, classes_.size(), false}};
  std::vector<ValueRange> found;
  add_range(tree.output, tree.width, false, found);
  if (tree.minus_output != kNoOutput) add_range(tree.minus_output, tree.width, true, found);
  return found;
}

template <class Get>
void ScoreSpace::fill_decoded(const TreeSpan& tree, std::size_t rows, const Get& get,
                              const ValueTable& to) const {
  std::vector<double> outputs(ensemble_.forest.outputs);
  for (std::size_t i = 0; i < rows; ++i) {
    std::fill(outputs.begin(), outputs.end(), 0.0);
    for (std::size_t c = 0; c < tree.width; ++c) {
      outputs[tree.output + c] += get(i, c);
      if (tree.minus_output != kNoOutput) outputs[tree.minus_output + c] -= get(i, c);
    }
    double* const values = to.values + i * to.stride;
    std::vector<double> all;
    if (ensemble_.simplex) all = class_values(outputs);
    for (std::size_t c = to.low; c < to.high; ++c)
      values[c - to.low] = ensemble_.simplex ? all[static_cast<std::size_t>(classes_[c])]
                                             : class_value(outputs, classes_[c]);
  }
}

template <class Get>
void ScoreSpace::fill(const TreeSpan& tree, const ValueRange& range, std::size_t rows,
                      const Get& get, const ValueTable& to) const {
  std::fill_n(to.values, rows * to.stride, 0.0);
  if (!in_outputs_ && has_words()) return fill_decoded(tree, rows, get, to);
  const std::size_t output = range.minus ? tree.minus_output : tree.output;
  const double sign = range.minus ? -1 : 1;
  for (std::size_t c = 0; c < tree.width; ++c) {
    const std::size_t column = column_of_output(output + c);
    if (column < to.low || column >= to.high) continue;
    const double scale = sign * factor(output + c);
    for (std::size_t i = 0; i < rows; ++i)
      to.values[i * to.stride + column - to.low] += scale * get(i, c);
  }
}

// Whether each number of a leaf has the column next to that of the one before and counts as much:
// all classes, of one member.
bool ScoreSpace::straight(const TreeSpan& tree, const ValueRange& range) const {
  if (!in_outputs_ && has_words()) return false;
  const std::size_t output = range.minus ? tree.minus_output : tree.output;
  const std::size_t last = output + tree.width - 1;
  const std::size_t classes = ensemble_.classes();
  return (factors_.empty() || output / classes == last / classes) && range.columns == tree.width &&
         column_of_output(output) == range.first &&
         column_of_output(last) == range.first + tree.width - 1;
}

void ScoreSpace::leaf_values(const TreeSpan& tree, const ValueRange& range,
                             const ValueTable& to) const {
  const Forest& forest = ensemble_.forest;
  if (tree.sparse) {
    std::vector<float> dense;
    for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf) {
      const std::vector<float> one = leaf_vector(forest, tree, leaf);
      dense.insert(dense.end(), one.begin(), one.end());
    }
    const auto get = [&](std::size_t leaf, std::size_t c) {
      return static_cast<double>(dense[leaf * tree.width + c]);
    };
    return fill(tree, range, tree.leaves, get, to);
  }
  forest.leaf_values.visit([&](const auto& all) {
    const auto* const values = all.data() + tree.value_begin;
    if (straight(tree, range)) {
      const double scale = range.minus ? -factor(tree.minus_output) : factor(tree.output);
      const std::size_t count = to.high - to.low;
      for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf) {
        double* const line = to.values + leaf * to.stride;
        const auto* const from = values + leaf * tree.width + (to.low - range.first);
        if constexpr (std::is_same_v<std::decay_t<decltype(*values)>, float>)
          shap_kernels().scale_floats(from, count, scale, line);
        else
          shap_kernels().scale_shorts(from, count, scale, line);
        std::fill(line + count, line + to.stride, 0.0);
      }
      return;
    }
    const auto get = [&](std::size_t leaf, std::size_t c) {
      return static_cast<double>(widen(values[leaf * tree.width + c]));
    };
    fill(tree, range, tree.leaves, get, to);
  });
}

void ScoreSpace::slope_values(const TreeSpan& tree, const ValueRange& range,
                              const ValueTable& to) const {
  const float* const slopes = ensemble_.forest.slopes.data() + tree.slope_begin;
  const auto get = [&](std::size_t k, std::size_t c) {
    return static_cast<double>(slopes[k * tree.width + c]);
  };
  fill(tree, range, tree.linear_end - tree.linear_begin, get, to);
}

void ScoreSpace::leaf_entries_of(const TreeSpan& tree, SparseValues& out) const {
  const Forest& forest = ensemble_.forest;
  out.ends.clear();
  out.columns.clear();
  out.values.clear();
  for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf) {
    const auto [begin, end] = leaf_entries(forest, tree, leaf);
    for (std::size_t e = begin; e < end; ++e) {
      const std::size_t output = std::size_t{tree.output} + forest.entry_outputs[e];
      const std::uint32_t column = column_of(output % ensemble_.classes());
      if (column == kNoColumn) continue;
      out.columns.push_back(column);
      out.values.push_back(factor(output) * static_cast<double>(forest.entry_values[e]));
    }
    out.ends.push_back(out.values.size());
  }
}

double ScoreSpace::class_value(std::span<const double> outputs, std::int32_t label) const {
  const auto k = static_cast<std::size_t>(label);
  double sum = 0;
  if (ensemble_.simplex) {
    for (std::size_t j = 0; j < std::min(k, outputs.size()); ++j) sum -= below_[j] * outputs[j];
    return k < outputs.size() ? sum + diagonal_[k] * outputs[k] : sum;
  }
  if (!ensemble_.codewords.empty()) {
    const float* const word = ensemble_.codewords.data() + k * outputs.size();
    for (std::size_t j = 0; j < outputs.size(); ++j)
      sum += static_cast<double>(word[j]) * outputs[j];
    return sum / 2;
  }
  for (std::size_t j = k; j < outputs.size(); j += ensemble_.classes())
    sum += factor(j) * outputs[j];
  return sum;
}

std::vector<double> ScoreSpace::class_values(std::span<const double> outputs) const {
  std::vector<double> result(ensemble_.classes());
  if (!ensemble_.simplex) {
    for (std::size_t k = 0; k < result.size(); ++k)
      result[k] = class_value(outputs, static_cast<std::int32_t>(k));
    return result;
  }
  double below = 0;
  for (std::size_t j = 0; j < outputs.size(); ++j) {
    result[j] = diagonal_[j] * outputs[j] - below;
    below += below_[j] * outputs[j];
  }
  result.back() = -below;
  return result;
}

// Of a simplex by its closed form; else a product with the codewords, in which players take the
// place of rows and outputs that of leaves.
void ScoreSpace::decode(const double* sums, std::size_t players, std::size_t stride,
                        double* out) const {
  const std::size_t outputs = ensemble_.forest.outputs;
  const std::size_t columns = classes_.size();
  if (ensemble_.simplex) {
    for (std::size_t p = 0; p < players; ++p) {
      const std::vector<double> all = class_values({sums + p * stride, outputs});
      for (std::size_t c = 0; c < columns; ++c)
        out[p * columns + c] = all[static_cast<std::size_t>(classes_[c])];
    }
    return;
  }
  std::vector<double> lines(outputs * kShapRows);
  std::vector<ShapEntry> entries;
  for (std::uint32_t j = 0; j < outputs; ++j) entries.push_back({j, j});
  for (std::size_t first = 0; first < players; first += kShapRows) {
    const std::size_t some = std::min(kShapRows, players - first);
    for (std::size_t p = 0; p < some; ++p)
      for (std::size_t j = 0; j < outputs; ++j)
        lines[j * kShapRows + p] = sums[(first + p) * stride + j];
    LeafProduct product;
    product.lines = lines.data();
    product.entries = entries.data();
    product.count = outputs;
    product.values = words_.data();
    product.stride = shap_stride(columns);
    product.columns = product.row_stride = columns;
    product.rows = some;
    product.out = out + first * columns;
    product.fresh = true;
    shap_kernels().multiply(product);
  }
}

}  // namespace simplexboost
