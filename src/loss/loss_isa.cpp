// The built-in losses, one copy for each instruction level (see base/isa.h). All have phi(v) =
// e^{-rate v}, so a row is described by two numbers:
//
//   top = max_l z_l,  sum = sum_l C_l e^{z_l - top},  z_l = rate (u_l - u_c)  =>  S = e^top sum
//
// from which each loss gives what it needs, eight rows at a time. One exp an entry; no overflow.
#include "base/lane_math.h"
#include "loss/loss_kernels.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

using Lanes = Float<8>;

// Below every log that matters, yet finite: a row without any other class to beat.
constexpr float kNoTop = -1e30F;
// The least of the factors 1 + rho tau in H, so that H > 0 wherever the pull is not zero.
constexpr float kLeastFactor = 5.9604645e-8F;

LANES_INLINE Lanes below_zero(Lanes x) { return select(x < 0, x, Lanes{}); }
LANES_INLINE Lanes above_zero(Lanes x) { return select(x > 0, x, Lanes{}); }

// --- The losses ------------------------------------------------------------------------------

// Eight rows. With top- = min(top, 0) and top+ = max(top, 0), 1 + S = whole e^{top+}, and
// sigma = S / (1 + S) = below * sum / whole,  1 - sigma = above / whole.
struct RowLanes {
  Lanes top;
  Lanes sum;
  Lanes below;  // e^{top-}
  Lanes above;  // e^{-top+}
  Lanes whole;  // above + below * sum

  LANES_INLINE RowLanes(Lanes row_top, Lanes row_sum) : top(row_top), sum(row_sum) {
    const Lanes small = exp_lanes<8>(-absolute(top));
    const Lanes one = fill_lanes<8>(1);
    below = select(top < 0, small, one);
    above = select(top < 0, one, small);
    whole = above + below * sum;
  }
};

// What a loss says of eight rows: with tau_k = E_k / sum,
//   P_k = -pull E_k,  H_k = rate pull E_k (1 + bend E_k);  for the class itself
//   P_c = pull sum,   H_c = rate pull sum own.
struct PullLanes {
  Lanes pull;
  Lanes bend;
  Lanes own;
};

// A loss states: the rate of phi; the logs of its weight w and of its value as functions of top, to
// within a small factor; and weight and value divided by e to these logs, as functions of the row.

// gamma(s) = s: w = S, H_k = w tau_k.
struct Exponential {
  static constexpr float kRate = 1;
  static LANES_INLINE Lanes log_weight(Lanes top) { return top; }
  static LANES_INLINE Lanes log_value(Lanes top) { return top; }
  static LANES_INLINE Lanes value(const RowLanes& row) { return row.sum; }
  static LANES_INLINE PullLanes pulls(const RowLanes& /*row*/) {
    return {fill_lanes<8>(1), Lanes{}, fill_lanes<8>(1)};
  }
};

// gamma(s) = log(1 + s): w = 2 sigma, H_k = 4 p_k (1 - p_k).
struct Logistic {
  static constexpr float kRate = 2;
  static LANES_INLINE Lanes log_weight(Lanes top) { return below_zero(top); }
  static LANES_INLINE Lanes log_value(Lanes top) { return below_zero(top); }
  static LANES_INLINE Lanes value(const RowLanes& row) {
    const Lanes wrong = row.top + log_lanes<8>(row.above + row.sum);
    const Lanes right = row.sum * log1p_ratio_lanes<8>(row.below * row.sum);
    return select(row.top > 0, above_zero(wrong), right);
  }
  static LANES_INLINE PullLanes pulls(const RowLanes& row) {
    return {2.0F / row.whole, -row.below / row.whole, row.above / row.whole};
  }
};

// gamma(s) = (s/(1+s))^2: w = 4 sigma^2 (1 - sigma). As a function of the logistic loss l it is
// g(l) = (1 - e^-l)^2, concave where sigma > 1/2. There H leaves out g'': by its tangent, g' l lies
// above g, so this curvature belongs to a convex function above the loss.
struct Savage {
  static constexpr float kRate = 2;
  static LANES_INLINE Lanes log_weight(Lanes top) {
    return 2.0F * below_zero(top) - above_zero(top);
  }
  static LANES_INLINE Lanes log_value(Lanes top) { return 2.0F * below_zero(top); }
  static LANES_INLINE Lanes value(const RowLanes& row) {
    const Lanes ratio = row.sum / row.whole;
    return ratio * ratio;
  }
  static LANES_INLINE PullLanes pulls(const RowLanes& row) {
    const Lanes convex = above_zero(row.above - row.below * row.sum) / row.whole;  // (1-2 sigma)+
    const Lanes some = select(row.sum > 0, row.sum, fill_lanes<8>(1));
    return {4.0F * row.sum / (row.whole * row.whole * row.whole),
            convex / some - row.below / row.whole, row.above / row.whole + convex};
  }
};

// --- The entries of a row --------------------------------------------------------------------

// Rows need not fill whole vectors. A vector that reaches into the next row is read and written
// all the same, since rows are done in order; at the end of the block it goes through a buffer.
template <std::size_t N>
LANES_INLINE Float<N> load_within(const float* place, std::size_t left) {
  if (left >= N) return load<Float<N>>(place);
  float buffer[N] = {};
  for (std::size_t j = 0; j < left; ++j) buffer[j] = place[j];
  return load<Float<N>>(buffer);
}
template <std::size_t N>
LANES_INLINE void store_within(float* place, Float<N> x, std::size_t left) {
  if (left >= N) return store(place, x);
  for (std::size_t j = 0; j < left; ++j) place[j] = x[j];
}

// Counts from 0 up.
template <std::size_t N>
LANES_INLINE Int<N> lane_numbers() {
  Int<N> lane;
  for (std::size_t i = 0; i < N; ++i) lane[i] = static_cast<std::int32_t>(i);
  return lane;
}

struct RowView {
  const float* scores;
  const float* costs;  // of the row's class, or null
  std::int32_t label;
  std::size_t classes;
  std::size_t left;        // entries from the row's first to the block's last
  std::size_t costs_left;  // likewise in the cost matrix

  LANES_INLINE RowView(const LossBlock& block, std::size_t row)
      : scores(block.scores + row * block.classes),
        costs(nullptr),
        label(block.labels[row]),
        classes(block.classes),
        left((block.rows - row) * block.classes),
        costs_left(0) {
    if (!block.costs) return;
    const auto own = static_cast<std::size_t>(label) * classes;
    costs = block.costs + own;
    costs_left = classes * classes - own;
  }

  // Lanes k .. k + N - 1 that are classes, and those of them other than the row's own.
  template <std::size_t N>
  LANES_INLINE Int<N> within(std::size_t k) const {
    return lane_numbers<N>() < static_cast<std::int32_t>(classes - k);
  }
  template <std::size_t N>
  LANES_INLINE Int<N> live(std::size_t k) const {
    return (lane_numbers<N>() != label - static_cast<std::int32_t>(k)) & within<N>(k);
  }
};

// rate (u_l - u_c) of lanes k .. k + N - 1, minus infinity where the class does not count.
template <class Pair, bool kCosts, std::size_t N>
LANES_INLINE Float<N> exponents(const RowView& row, std::size_t k) {
  const float own = row.scores[row.label];
  const Float<N> z = Pair::kRate * (load_within<N>(row.scores + k, row.left - k) - own);
  Int<N> live = row.live<N>(k);
  if constexpr (kCosts) live = live & (load_within<N>(row.costs + k, row.costs_left - k) > 0);
  return select(live, z, fill_lanes<N>(-kInfinity));
}

struct RowSum {
  float top;
  float sum;
};

template <class Pair, bool kCosts, std::size_t N>
LANES_INLINE float top_of(const RowView& row) {
  Float<N> most = fill_lanes<N>(kNoTop);
  for (std::size_t k = 0; k < row.classes; k += N)
    most = maximum(most, exponents<Pair, kCosts, N>(row, k));
  return largest(most);
}

// Top and sum of one row.
template <class Pair, bool kCosts, std::size_t N>
LANES_INLINE RowSum sum_row(const RowView& row) {
  const float top = top_of<Pair, kCosts, N>(row);
  Float<N> sums{};
  for (std::size_t k = 0; k < row.classes; k += N) {
    Float<N> term = exp_lanes<N>(exponents<Pair, kCosts, N>(row, k) - top);
    if constexpr (kCosts) term *= load_within<N>(row.costs + k, row.costs_left - k);
    sums += term;
  }
  return {top, sum(sums)};
}

// z_k - top; returns top.
template <class Pair, bool kCosts, std::size_t N>
LANES_INLINE float write_exponents(const RowView& row, float* terms) {
  const float top = top_of<Pair, kCosts, N>(row);
  for (std::size_t k = 0; k < row.classes; k += N)
    store_within<N>(terms + k, exponents<Pair, kCosts, N>(row, k) - top, row.left - k);
  return top;
}

// Sums a row's E_k, times the costs first if there are any.
template <bool kCosts, std::size_t N>
LANES_INLINE float sum_terms(const RowView& row, float* terms) {
  if constexpr (kCosts)
    for (std::size_t k = 0; k < row.classes; ++k) terms[k] *= row.costs[k];
  Float<N> sums{};
  std::size_t k = 0;
  for (; k + N <= row.classes; k += N) sums += load<Float<N>>(terms + k);
  if (k < row.classes)
    sums += select(row.within<N>(k), load_within<N>(terms + k, row.left - k), Float<N>{});
  return sum(sums);
}

// --- The rows of a chunk ---------------------------------------------------------------------

struct ChunkSums {
  float top[kLossChunk];
  float sum[kLossChunk];
  float weight[kLossChunk];  // 0 behind the last row, and where S = 0
};

// `terms`, if not null, receives E_k = C_k e^{z_k - top} of all rows, 0 for their classes. The
// exponentials do not care where rows end, and need not wait for each other.
template <class Pair, bool kCosts, std::size_t N>
void sum_rows(const LossBlock& block, ChunkSums& sums, float* terms) {
  const std::size_t classes = block.classes;
  if (terms) {
    for (std::size_t i = 0; i < block.rows; ++i)
      sums.top[i] = write_exponents<Pair, kCosts, N>(RowView(block, i), terms + i * classes);
    const std::size_t size = block.rows * classes;
    for (std::size_t j = 0; j < size; j += 16)
      store_within<16>(terms + j, exp_lanes<16>(load_within<16>(terms + j, size - j)), size - j);
    for (std::size_t i = 0; i < block.rows; ++i)
      sums.sum[i] = sum_terms<kCosts, N>(RowView(block, i), terms + i * classes);
  } else {
    for (std::size_t i = 0; i < block.rows; ++i) {
      const RowSum row = sum_row<Pair, kCosts, N>(RowView(block, i));
      sums.top[i] = row.top;
      sums.sum[i] = row.sum;
    }
  }
  for (std::size_t i = 0; i < block.rows; ++i) {
    const float weight = block.weights ? block.weights[i] : 1;
    sums.weight[i] = sums.sum[i] > 0 ? weight : 0;
  }
  for (std::size_t i = block.rows; i % 8 != 0; ++i) {
    sums.top[i] = 0;
    sums.sum[i] = 0;
    sums.weight[i] = 0;
  }
}

template <class Pair>
void sum_rows(const LossBlock& block, ChunkSums& sums, float* terms) {
  if (block.costs) return sum_rows<Pair, true, 8>(block, sums, terms);
  if (block.classes <= 8) return sum_rows<Pair, false, 8>(block, sums, terms);
  return sum_rows<Pair, false, 16>(block, sums, terms);
}

// The largest of log_of(top) over the rows of positive weight.
template <class LogOf>
float largest_log(const ChunkSums& sums, std::size_t rows, LogOf log_of) {
  Lanes most = fill_lanes<8>(-kInfinity);
  for (std::size_t i = 0; i < rows; i += 8) {
    const Lanes log = log_of(load<Lanes>(sums.top + i));
    most = maximum(most, select(load<Lanes>(sums.weight + i) > 0, log, most));
  }
  return largest(most);
}

template <class Pair>
ChunkRisk risk(const LossBlock& block) {
  ChunkSums sums;
  sum_rows<Pair>(block, sums, nullptr);
  const float most = largest_log(sums, block.rows, [](Lanes top) { return Pair::log_value(top); });
  const bool plain = most < kPlainLogs && most > -kPlainLogs;
  const float log_scale = plain || most == -kInfinity ? 0 : most;
  double total = 0;
  for (std::size_t i = 0; i < block.rows; i += 8) {
    const RowLanes row(load<Lanes>(sums.top + i), load<Lanes>(sums.sum + i));
    const Lanes value = Pair::value(row) * exp_lanes<8>(Pair::log_value(row.top) - log_scale);
    // Rows of weight 0 are left out, however large they are.
    for (std::size_t j = 0; j < 8; ++j) {
      const float weight = sums.weight[i + j];
      if (weight > 0) total += static_cast<double>(value[j]) * static_cast<double>(weight);
    }
  }
  return {total, log_scale};
}

struct RowPull {
  float pull;
  float bend;
  float own_pull;
  float own_curvature;
};

// Turns the terms E_k that lie in `pulls` into pulls; overwrites nothing behind the row.
template <class Pair, std::size_t N>
LANES_INLINE void finish_row(const RowView& row, const RowPull& factors, float* pulls,
                             float* curvature) {
  const auto write = [&](std::size_t k, Float<N> term, auto&& put) {
    const Float<N> pull = term * factors.pull;
    put(pulls + k, -pull);
    if (!curvature) return;
    const Float<N> factor = maximum(1.0F + factors.bend * term, fill_lanes<N>(kLeastFactor));
    put(curvature + k, Pair::kRate * pull * factor);
  };
  std::size_t k = 0;
  for (; k + N <= row.classes; k += N)
    write(k, load<Float<N>>(pulls + k), [](float* place, Float<N> x) { store(place, x); });
  if (k < row.classes)
    write(k, load_within<N>(pulls + k, row.left - k),
          [&](float* place, Float<N> x) { store_first(place, x, row.classes - k); });
  pulls[row.label] = factors.own_pull;
  if (curvature) curvature[row.label] = factors.own_curvature;
}

template <class Pair>
float pulls(const LossBlock& block, float log_scale, float* pulls, float* curvature) {
  ChunkSums sums;
  sum_rows<Pair>(block, sums, pulls);
  const std::size_t classes = block.classes;
  for (std::size_t i = 0; i < block.rows; i += 8) {
    const RowLanes row(load<Lanes>(sums.top + i), load<Lanes>(sums.sum + i));
    const PullLanes lanes = Pair::pulls(row);
    const Lanes weight = load<Lanes>(sums.weight + i);
    const Lanes size = exp_lanes<8>(Pair::log_weight(row.top) - log_scale);
    const Lanes pull = select(weight > 0, lanes.pull * size * weight, Lanes{});
    const Lanes own_pull = pull * row.sum;
    const Lanes own_curvature =
        Pair::kRate * own_pull * maximum(lanes.own, fill_lanes<8>(kLeastFactor));
    for (std::size_t j = 0; j < 8 && i + j < block.rows; ++j) {
      const RowPull factors = {pull[j], lanes.bend[j], own_pull[j], own_curvature[j]};
      float* const out = pulls + (i + j) * classes;
      float* const bends = curvature ? curvature + (i + j) * classes : nullptr;
      if (classes <= 8) {
        finish_row<Pair, 8>(RowView(block, i + j), factors, out, bends);
      } else {
        finish_row<Pair, 16>(RowView(block, i + j), factors, out, bends);
      }
    }
  }
  return largest_log(sums, block.rows, [](Lanes top) { return Pair::log_weight(top); });
}

template <class Pair>
constexpr LossKernels kKernelsOf = {risk<Pair>, pulls<Pair>};

}  // namespace

extern const LossKernelTable kLossKernels;
const LossKernelTable kLossKernels = {kKernelsOf<Exponential>, kKernelsOf<Logistic>,
                                      kKernelsOf<Savage>};

}  // namespace simplexboost::SIMPLEXBOOST_ISA
