// Savage's loss, gamma(s) = (s / (1 + s))^2 and phi(v) = e^-2v (jmlr2019, Table 3):
// w = 4 sigma^2 (1 - sigma). As a function of the logistic loss l it is g(l) = (1 - e^-l)^2,
// concave where sigma > 1/2. There H leaves out g'': by its tangent, g' l lies above g, so this
// curvature belongs to a convex function above the loss.
#pragma once

#include "loss/formulas/row_sum.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

struct Savage {
  static constexpr float kRate = 2;

  template <class Number>
  static LANES_INLINE Number gamma(Number s) {
    return (s / (1.0F + s)) * (s / (1.0F + s));
  }
  template <class Number>
  static LANES_INLINE Number gamma_slope(Number s) {
    return 2.0F * s / ((1.0F + s) * (1.0F + s) * (1.0F + s));
  }

  template <class Number>
  static LANES_INLINE Number log_value(Number top) {
    return 2.0F * below_zero(top);
  }
  template <class Number>
  static LANES_INLINE Number value(const RowSum<Number>& row) {
    const Number ratio = row.sum / row.whole;
    return ratio * ratio;
  }
  template <class Number>
  static LANES_INLINE Number log_weight(Number top) {
    return 2.0F * below_zero(top) - above_zero(top);
  }
  template <class Number>
  static LANES_INLINE RowPulls<Number> pulls(const RowSum<Number>& row) {
    const Number convex = above_zero(row.above - row.below * row.sum) / row.whole;  // (1-2 sigma)+
    const Number some = select(row.sum > 0, row.sum, fill<Number>(1));
    return {4.0F * row.sum / (row.whole * row.whole * row.whole),
            convex / some - row.below / row.whole, row.above / row.whole + convex};
  }
};

}  // namespace
}  // namespace simplexboost::SIMPLEXBOOST_ISA
