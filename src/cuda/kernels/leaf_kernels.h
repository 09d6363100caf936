// Sums of pulls and curvatures over the rows of leaves, on a device: exact, in the units of
// base/fixed_point.h, so that their order does not matter.
#pragma once

#include "base/fixed_point.h"
#include "base/simd/lane_math.h"
#include "cuda/kernels/partition_kernels.h"

namespace simplexboost {

// The largest size of numbers, as the bits of a float: NaN above all
// (tree/kernels/row_sums_isa.cpp).
struct LargestSize {
  static constexpr const char* kName = "largest size";
  static constexpr unsigned kThreads = 256;
  static constexpr unsigned kNumbers = 8192;  // of a block
  using Local = NoLocal;
  const float* values;
  std::size_t count;
  std::int32_t* largest;

  LANES_INLINE std::size_t shared_bytes() const { return sizeof(std::int32_t); }
  LANES_INLINE unsigned phases() const { return 3; }
  LANES_INLINE void operator()(unsigned phase, const KernelThread& self, void* shared,
                               Local&) const {
    auto* const most = static_cast<std::int32_t*>(shared);
    if (phase == 0 && self.thread == 0) *most = 0;
    if (phase == 2 && self.thread == 0) atomic_max(largest, *most);
    if (phase != 1) return;
    const std::size_t first = self.block * kNumbers;
    const std::size_t last = first + kNumbers < count ? first + kNumbers : count;
    std::int32_t own = 0;
    for (std::size_t i = first + self.thread; i < last; i += kThreads) {
      const std::int32_t size = __builtin_bit_cast(std::int32_t, values[i]) & 0x7fffffff;
      if (size > own) own = size;
    }
    atomic_max(most, own);
  }
};

// A task is of a leaf. Each addend is rounded to the unit by itself: what is added to a sum that
// begins at start() by the processor, a few rows at a time, comes to the same.
struct SumLeaves {
  static constexpr const char* kName = "sum leaves";
  static constexpr unsigned kThreads = 256;
  using Local = NoLocal;
  const std::uint32_t* rows;
  const RowTask* tasks;
  const float* pulls;      // rows x width
  const float* curvature;  // likewise; null: pulls tell it, by this factor
  float curvature_factor;
  const float* weights;  // of the rows; null: all 1
  std::uint32_t width;
  double pull_start;
  double curvature_start;
  std::int64_t* sums;  // leaves x (pulls, then curvatures)

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const RowTask task = tasks[self.block];
    const std::uint32_t lanes = width < kThreads ? width : kThreads;
    const std::uint32_t at_once = kThreads / lanes;
    const std::uint32_t first = self.thread / lanes;
    if (first >= at_once) return;
    for (std::uint32_t c = self.thread % lanes; c < width; c += lanes) {
      std::int64_t pull_sum = 0;
      std::int64_t curvature_sum = 0;
      const auto add = [&](std::uint32_t row, float pull) {
        const float bend = curvature ? curvature[std::uint64_t{row} * width + c]
                                     : plain::pull_curvature(pull, curvature_factor);
        const double weight =
            weights ? SumUnit::kNudge * static_cast<double>(weights[row]) : SumUnit::kNudge;
        pull_sum += units(pull_start, weight * static_cast<double>(pull));
        curvature_sum += units(curvature_start, weight * static_cast<double>(bend));
      };
      // Some rows are read before the first is added: loads need not wait for each other.
      constexpr unsigned kAhead = 8;
      std::uint32_t i = task.begin + first;
      for (; i + (kAhead - 1) * at_once < task.end; i += kAhead * at_once) {
        std::uint32_t some[kAhead];
        float found[kAhead];
        for (unsigned a = 0; a < kAhead; ++a) some[a] = rows[i + a * at_once];
        for (unsigned a = 0; a < kAhead; ++a) found[a] = pulls[std::uint64_t{some[a]} * width + c];
        for (unsigned a = 0; a < kAhead; ++a) add(some[a], found[a]);
      }
      for (; i < task.end; i += at_once) add(rows[i], pulls[std::uint64_t{rows[i]} * width + c]);
      std::int64_t* const out = sums + std::size_t{task.of} * 2 * width + c;
      if (pull_sum != 0) atomic_add(out, pull_sum);
      if (curvature_sum != 0) atomic_add(out + width, curvature_sum);
    }
  }

 private:
  static LANES_INLINE std::int64_t units(double start, double value) {
    return __builtin_bit_cast(std::int64_t, start + value) -
           __builtin_bit_cast(std::int64_t, start);
  }
};

}  // namespace simplexboost
