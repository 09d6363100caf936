// What formulas of losses with phi(v) = e^{-rate v} are written in: such a row is described by two
// numbers, whatever the scores, without overflow:
//
//   top = max_l z_l,  sum = sum_l C_l e^{z_l - top},  z_l = rate (u_l - u_c)  =>  S = e^top sum
//
// A loss states (see logistic.h):
//   kRate          of phi;
//   gamma          and its slope, as functions of S;
//   log_value      the log of its value gamma(S), to within a small factor, as a function of top;
//   value          gamma(S) / e^log_value, as a function of the row;
//   log_weight     likewise of its weight w = rate S gamma'(S);
//   pulls          the pulls and curvatures that come of it, divided by e^log_weight.
#pragma once

#include "base/simd/lane_math.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

template <class Number>
LANES_INLINE Number below_zero(Number x) {
  return select(x < 0, x, Number{});
}
template <class Number>
LANES_INLINE Number above_zero(Number x) {
  return select(x > 0, x, Number{});
}

// A row. With top- = min(top, 0) and top+ = max(top, 0), 1 + S = whole e^{top+}, and
// sigma = S / (1 + S) = below * sum / whole,  1 - sigma = above / whole.
template <class Number>
struct RowSum {
  Number top;
  Number sum;
  Number below;  // e^{top-}
  Number above;  // e^{-top+}
  Number whole;  // above + below * sum

  LANES_INLINE RowSum(Number row_top, Number row_sum) : top(row_top), sum(row_sum) {
    const Number small = exp_of(-absolute(top));
    const auto one = fill<Number>(1);
    below = select(top < 0, small, one);
    above = select(top < 0, one, small);
    whole = above + below * sum;
  }
};

// What a loss says of a row: with E_k = C_k e^{z_k - top} and tau_k = E_k / sum,
//   P_k = -pull E_k,  H_k = rate |pull| E_k (1 + bend E_k);  for the class itself
//   P_c = pull sum,   H_c = rate |pull| sum own.
// pull is negative only where gamma falls (tangent.h).
template <class Number>
struct RowPulls {
  Number pull;
  Number bend;
  Number own;
};

// The least of the factors of H, so that H > 0 wherever the pull is not zero.
inline constexpr float kLeastFactor = 5.9604645e-8F;

// H_k of P_k = -pull, and H_c of P_c = pull.
template <class Formula, class Number>
LANES_INLINE Number entry_curvature(Number pull, Number term, float bend) {
  return Formula::kRate * absolute(pull) * maximum(1.0F + bend * term, fill<Number>(kLeastFactor));
}
template <class Formula, class Number>
LANES_INLINE Number own_curvature(Number pull, Number own) {
  return Formula::kRate * absolute(pull) * maximum(own, fill<Number>(kLeastFactor));
}

}  // namespace
}  // namespace simplexboost::SIMPLEXBOOST_ISA
