// The loops over rows and classes of the built-in losses, for any formula (formulas/row_sum.h): one
// exp an entry, then what the loss says of a row, eight rows at a time. For the *_isa.cpp files.
#pragma once

#include "loss/formulas/row_sum.h"
#include "loss/loss_kernels.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

using RowLanes = Float<8>;  // a number of each of eight rows

// Below every log that matters, yet finite: a row without any other class to beat.
inline constexpr float kNoTop = -1e30F;

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
  const float* costs = nullptr;  // of the row's class, or null
  std::int32_t label;
  std::size_t classes;
  std::size_t left;            // entries from the row's first to the block's last
  std::size_t costs_left = 0;  // likewise in the cost matrix

  LANES_INLINE RowView(const LossBlock& block, std::size_t row)
      : scores(block.scores + row * block.classes),
        label(block.labels[row]),
        classes(block.classes),
        left((block.rows - row) * block.classes) {
    if (!block.costs) return;
    const auto own = static_cast<std::size_t>(label) * classes;
    costs = block.costs + own;
    costs_left = classes * classes - own;
  }

  // RowLanes k .. k + N - 1 that are classes, and those of them other than the row's own.
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
template <class Formula, bool kCosts, std::size_t N>
LANES_INLINE Float<N> exponents(const RowView& row, std::size_t k) {
  const float own = row.scores[row.label];
  const Float<N> z = Formula::kRate * (load_within<N>(row.scores + k, row.left - k) - own);
  Int<N> live = row.live<N>(k);
  if constexpr (kCosts) live = live & (load_within<N>(row.costs + k, row.costs_left - k) > 0);
  return select(live, z, fill<Float<N>>(-kInfinity));
}

struct TopAndSum {
  float top;
  float sum;
};

template <class Formula, bool kCosts, std::size_t N>
LANES_INLINE float top_of(const RowView& row) {
  auto most = fill<Float<N>>(kNoTop);
  for (std::size_t k = 0; k < row.classes; k += N)
    most = maximum(most, exponents<Formula, kCosts, N>(row, k));
  return largest(most);
}

// Top and sum of one row.
template <class Formula, bool kCosts, std::size_t N>
LANES_INLINE TopAndSum sum_row(const RowView& row) {
  const float top = top_of<Formula, kCosts, N>(row);
  Float<N> sums{};
  for (std::size_t k = 0; k < row.classes; k += N) {
    Float<N> term = exp_of(exponents<Formula, kCosts, N>(row, k) - top);
    if constexpr (kCosts) term *= load_within<N>(row.costs + k, row.costs_left - k);
    sums += term;
  }
  return {top, sum(sums)};
}

// z_k - top; returns top.
template <class Formula, bool kCosts, std::size_t N>
LANES_INLINE float write_exponents(const RowView& row, float* terms) {
  const float top = top_of<Formula, kCosts, N>(row);
  for (std::size_t k = 0; k < row.classes; k += N)
    store_within<N>(terms + k, exponents<Formula, kCosts, N>(row, k) - top, row.left - k);
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
template <class Formula, bool kCosts, std::size_t N>
void sum_rows(const LossBlock& block, ChunkSums& sums, float* terms) {
  const std::size_t classes = block.classes;
  if (terms) {
    for (std::size_t i = 0; i < block.rows; ++i)
      sums.top[i] = write_exponents<Formula, kCosts, N>(RowView(block, i), terms + i * classes);
    const std::size_t size = block.rows * classes;
    for (std::size_t j = 0; j < size; j += 16)
      store_within<16>(terms + j, exp_of(load_within<16>(terms + j, size - j)), size - j);
    for (std::size_t i = 0; i < block.rows; ++i)
      sums.sum[i] = sum_terms<kCosts, N>(RowView(block, i), terms + i * classes);
  } else {
    for (std::size_t i = 0; i < block.rows; ++i) {
      const TopAndSum row = sum_row<Formula, kCosts, N>(RowView(block, i));
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

template <class Formula>
void sum_rows(const LossBlock& block, ChunkSums& sums, float* terms) {
  if (block.costs) return sum_rows<Formula, true, 8>(block, sums, terms);
  if (block.classes <= 8) return sum_rows<Formula, false, 8>(block, sums, terms);
  return sum_rows<Formula, false, 16>(block, sums, terms);
}

// The largest of log(top) over the rows of positive weight.
template <class Log>
float largest_log(const ChunkSums& sums, std::size_t rows, Log log) {
  auto most = fill<RowLanes>(-kInfinity);
  for (std::size_t i = 0; i < rows; i += 8) {
    const RowLanes found = log(load<RowLanes>(sums.top + i));
    most = maximum(most, select(load<RowLanes>(sums.weight + i) > 0, found, most));
  }
  return largest(most);
}

template <class Formula>
ChunkRisk risk(const LossBlock& block) {
  ChunkSums sums;
  sum_rows<Formula>(block, sums, nullptr);
  const float most =
      largest_log(sums, block.rows, [](RowLanes top) { return Formula::log_value(top); });
  const bool plain = most < kPlainLogs && most > -kPlainLogs;
  const float log_scale = plain || most == -kInfinity ? 0 : most;
  double total = 0;
  for (std::size_t i = 0; i < block.rows; i += 8) {
    const RowSum<RowLanes> row(load<RowLanes>(sums.top + i), load<RowLanes>(sums.sum + i));
    const RowLanes value = Formula::value(row) * exp_of(Formula::log_value(row.top) - log_scale);
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
template <class Formula, std::size_t N>
LANES_INLINE void finish_row(const RowView& row, const RowPull& factors, float* pulls,
                             float* curvature) {
  const auto write = [&](std::size_t k, Float<N> term, auto&& put) {
    const Float<N> pull = term * factors.pull;
    put(pulls + k, -pull);
    if (!curvature) return;
    put(curvature + k, entry_curvature<Formula>(pull, term, factors.bend));
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

template <class Formula>
float pulls(const LossBlock& block, float log_scale, float* pulls, float* curvature) {
  ChunkSums sums;
  sum_rows<Formula>(block, sums, pulls);
  const std::size_t classes = block.classes;
  for (std::size_t i = 0; i < block.rows; i += 8) {
    const RowSum<RowLanes> row(load<RowLanes>(sums.top + i), load<RowLanes>(sums.sum + i));
    const RowPulls<RowLanes> lanes = Formula::pulls(row);
    const auto weight = load<RowLanes>(sums.weight + i);
    const RowLanes size = exp_of(Formula::log_weight(row.top) - log_scale);
    const RowLanes pull = select(weight > 0, lanes.pull * size * weight, RowLanes{});
    const RowLanes own_pull = pull * row.sum;
    const RowLanes own_curvatures = own_curvature<Formula>(own_pull, lanes.own);
    for (std::size_t j = 0; j < 8 && i + j < block.rows; ++j) {
      const RowPull factors = {pull[j], lanes.bend[j], own_pull[j], own_curvatures[j]};
      float* const out = pulls + (i + j) * classes;
      float* const bends = curvature ? curvature + (i + j) * classes : nullptr;
      if (classes <= 8) {
        finish_row<Formula, 8>(RowView(block, i + j), factors, out, bends);
      } else {
        finish_row<Formula, 16>(RowView(block, i + j), factors, out, bends);
      }
    }
  }
  return largest_log(sums, block.rows, [](RowLanes top) { return Formula::log_weight(top); });
}

template <class Formula>
inline constexpr LossKernels kKernelsOf = {risk<Formula>, pulls<Formula>};

}  // namespace
}  // namespace simplexboost::SIMPLEXBOOST_ISA
