// The exponential loss, gamma(s) = s and phi(v) = e^-v (jmlr2019, Table 3): w = S, H_k = w tau_k.
#pragma once

#include "loss/formulas/row_sum.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

struct Exponential {
  static constexpr float kRate = 1;

  template <class Number>
  static LANES_INLINE Number gamma(Number s) {
    return s;
  }
  template <class Number>
  static LANES_INLINE Number gamma_slope(Number /*s*/) {
    return fill<Number>(1);
  }

  template <class Number>
  static LANES_INLINE Number log_value(Number top) {
    return top;
  }
  template <class Number>
  static LANES_INLINE Number value(const RowSum<Number>& row) {
    return row.sum;
  }
  template <class Number>
  static LANES_INLINE Number log_weight(Number top) {
    return top;
  }
  template <class Number>
  static LANES_INLINE RowPulls<Number> pulls(const RowSum<Number>& /*row*/) {
    return {fill<Number>(1), Number{}, fill<Number>(1)};
  }
};

}  // namespace
}  // namespace simplexboost::SIMPLEXBOOST_ISA
