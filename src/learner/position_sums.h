// Sums over rows of positions times pulls, of all channels at once: what linear learners judge
// features by.
#pragma once

#include <cstddef>

namespace simplexboost {

// sums[k] = sum_i positions[i] * pulls[i * stride + k], for k < stride, the rows in their order.
struct PositionSumsArgs {
  static constexpr std::size_t kLanes = 8;  // stride is a multiple of it

  const double* positions;
  const double* pulls;
  std::size_t rows;
  std::size_t stride;
  double* sums;
};

void position_sums(const PositionSumsArgs& args);

// One copy for each instruction level (base/simd/isa.h).
struct PositionKernels {
  void (*sums)(const PositionSumsArgs&);
};

}  // namespace simplexboost
