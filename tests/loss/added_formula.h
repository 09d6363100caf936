// A loss that is not built in, as CONTRIBUTING.md tells to add one: gamma(s) = 2 - 2 / sqrt(1 + s)
// and phi(v) = e^-2v, that is 2 - 2 sqrt(p) of the probability p that the logistic loss gives to
// the class. w = 2 S / (1 + S)^(3/2). As a function of the logistic loss l it is concave,
// 2 - 2 e^{-l/2}, so H is that of its tangent, as with Savage's.
#pragma once

#include "loss/formulas/row_sum.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

struct RootFormula {
  static constexpr float kRate = 2;

  template <class Number>
  static LANES_INLINE Number gamma(Number s) {
    return 2.0F - 2.0F / sqrt_of(1.0F + s);
  }
  template <class Number>
  static LANES_INLINE Number gamma_slope(Number s) {
    return 1.0F / ((1.0F + s) * sqrt_of(1.0F + s));
  }

  template <class Number>
  static LANES_INLINE Number log_value(Number top) {
    return below_zero(top);
  }
  template <class Number>
  static LANES_INLINE Number value(const RowSum<Number>& row) {
    return 2.0F * row.sum / (row.whole + sqrt_of(row.whole * row.above));
  }
  template <class Number>
  static LANES_INLINE Number log_weight(Number top) {
    return below_zero(top) - 0.5F * above_zero(top);
  }
  template <class Number>
  static LANES_INLINE RowPulls<Number> pulls(const RowSum<Number>& row) {
    return {2.0F / (row.whole * sqrt_of(row.whole)), -row.below / row.whole, row.above / row.whole};
  }
};

}  // namespace
}  // namespace simplexboost::SIMPLEXBOOST_ISA
