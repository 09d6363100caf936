// The Tangent loss of two classes, (2 arctan(v) - 1)^2 of the margin v (Masnadi-Shirazi, Mahadevan
// and Vasconcelos 2010), of the margin towards all others at once: phi(v) = e^-2v as the logistic
// loss has it, and gamma(s) = g^2 with g = 2 arctan(x) + 1, x = ln(s) / 2. So x is minus the margin
// of two classes, and for more it is no less than minus the smallest. gamma rises from s = e^{-2
// tan(1/2)} on and falls below: rows that are too right are pulled back (docs/losses.md).
//
// With g' = 2 / (1 + x^2) and g'' = -x g'^2, w = 2 g g', and along u_k the second derivative is
//   2 w tau_k ((1 - tau_k) + q tau_k),  along u_c  2 w q,  q = g' (1 - g x) / (2 g).
// H has |w| for w, and q of at least kLeastBend: positive, and above the derivative.
#pragma once

#include "loss/formulas/row_sum.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

struct Tangent {
  static constexpr float kRate = 2;

  static constexpr float kLeastBend = 0.25F;   // so that |P| / H is 2 at most
  static constexpr float kLeastError = 1e-4F;  // so that q is finite where g is 0

  // A row without a rival, or without any cost, weighs nothing.
  template <class Number>
  static LANES_INLINE Number gamma(Number s) {
    const Number g = error_at(half_log(s));
    return select(s > 0, g * g, Number{});
  }
  template <class Number>
  static LANES_INLINE Number gamma_slope(Number s) {
    const Number x = half_log(s);
    return 2.0F * error_at(x) / ((1.0F + x * x) * at_least_tiny(s));
  }

  // Neither is ever far from 1, but for weights of rows far away, which fall with the square.
  template <class Number>
  static LANES_INLINE Number log_value(Number /*top*/) {
    return Number{};
  }
  template <class Number>
  static LANES_INLINE Number value(const RowSum<Number>& row) {
    const Number g = error_at(0.5F * (row.top + log_of(at_least_tiny(row.sum))));
    return g * g;
  }
  template <class Number>
  static LANES_INLINE Number log_weight(Number /*top*/) {
    return Number{};
  }
  template <class Number>
  static LANES_INLINE RowPulls<Number> pulls(const RowSum<Number>& row) {
    const Number some = select(row.sum > 0, row.sum, fill<Number>(1));
    const Number x = 0.5F * (row.top + log_of(some));
    const Number g = error_at(x);
    const Number slope = 2.0F / (1.0F + x * x);
    const Number size = maximum(absolute(g), fill<Number>(kLeastError));
    const Number q = maximum(slope * (1.0F - g * x) / (2.0F * size), fill<Number>(kLeastBend));
    return {2.0F * g * slope / some, (q - 1.0F) / some, q};
  }

 private:
  template <class Number>
  static LANES_INLINE Number at_least_tiny(Number s) {
    return maximum(s, fill<Number>(1.2e-38F));
  }
  template <class Number>
  static LANES_INLINE Number half_log(Number s) {
    return 0.5F * log_of(at_least_tiny(s));
  }
  template <class Number>
  static LANES_INLINE Number error_at(Number x) {
    return 2.0F * atan_of(x) + 1.0F;
  }
};

}  // namespace
}  // namespace simplexboost::SIMPLEXBOOST_ISA
