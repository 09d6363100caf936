// The logistic loss, gamma(s) = log(1 + s) and phi(v) = e^-2v (jmlr2019, Table 3): w = 2 sigma,
// H_k = 4 p_k (1 - p_k).
#pragma once

#include "loss/formulas/row_sum.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

struct Logistic {
  static constexpr float kRate = 2;

  template <class Number>
  static LANES_INLINE Number gamma(Number s) {
    return log1p_of(s);
  }
  template <class Number>
  static LANES_INLINE Number gamma_slope(Number s) {
    return 1.0F / (1.0F + s);
  }

  template <class Number>
  static LANES_INLINE Number log_value(Number top) {
    return below_zero(top);
  }
  template <class Number>
  static LANES_INLINE Number value(const RowSum<Number>& row) {
    const Number wrong = row.top + log_of(row.above + row.sum);
    const Number right = row.sum * log1p_ratio(row.below * row.sum);
    return select(row.top > 0, above_zero(wrong), right);
  }
  template <class Number>
  static LANES_INLINE Number log_weight(Number top) {
    return below_zero(top);
  }
  template <class Number>
  static LANES_INLINE RowPulls<Number> pulls(const RowSum<Number>& row) {
    return {2.0F / row.whole, -row.below / row.whole, row.above / row.whole};
  }
};

}  // namespace
}  // namespace simplexboost::SIMPLEXBOOST_ISA
