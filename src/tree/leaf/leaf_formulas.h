// What a leaf says of the sums of its rows, one class or output at a time: the formulas of the leaf
// rules (leaf_rule.h), over a number type.
#pragma once

#include "base/simd/lane_math.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

// The least squares fit of pulls with this sum and weight, and the Newton step with this curvature;
// 0 where there is neither.
template <class Number>
LANES_INLINE Number leaf_mean(Number pull, Number weight) {
  return weight > 0 ? pull / weight : Number{};
}

// The share of a sum over `width` classes; all alike where that is nothing.
template <class Number>
LANES_INLINE Number leaf_share(Number part, Number sum, Number width) {
  return sum > 0 ? part / sum : 1 / width;
}

// -1 or +1: the vote of the side of a cut with these sums of pulls left and right of it.
LANES_INLINE float leaf_vote(std::int32_t left, std::int32_t right, bool is_left) {
  return (right >= left) != is_left ? 1.0F : -1.0F;
}

// Schapire and Singer (1999), section 4.2: ln(W+ / W-) / 2 with W+ + W- = weight, W+ - W- = pull,
// each smoothed.
template <class Number>
LANES_INLINE Number leaf_confidence(Number pull, Number weight, Number smoothing) {
  const Number yes = (weight + pull) / 2 + smoothing;
  const Number no = (weight - pull) / 2 + smoothing;
  return Number{0.5} * log_of(yes / no);
}

}  // namespace
}  // namespace simplexboost::SIMPLEXBOOST_ISA
