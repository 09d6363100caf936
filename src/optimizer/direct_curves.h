// The curves of the two objectives of dmcboost (kdd2014) over the step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "optimizer/row_votes.h"
#include "optimizer/step_curves.h"

namespace simplexboost {

// Steps of both signs at which the error can be told apart: between the points where it changes
// for some row and label. All such intervals where there are few, else some, denser near 0.
std::vector<double> error_steps(const VoteView& view, std::size_t count);

// The weight of the rows that are right: cells count those that become so, or cease to be. Exact at
// every step; weights are rounded to 2^-29 of their sum unless they are whole numbers.
void error_curves(const VoteView& view, std::span<const double> steps, StepCurves& curves);

// The average of the n' smallest margins, from below. By Theorem 1 it is the soft margin
//
//   max over rho of  rho - 1/n' sum_i (rho - m_i)+,
// which adds up over rows for a given rho. rho (A + alpha) = edge + lift * alpha, with a few lifts:
// an error in rho moves the sum in second order only. `edge`: the n'-th smallest margin now,
// `mass`: the weight of the n' rows, `total`: A.
struct MarginStep {
  double alpha;  // positive
  double lift;
};
struct MarginCurveOptions {
  double edge = 0;
  double mass = 1;
  double total = 1;
};
void margin_curves(const VoteView& view, std::span<const MarginStep> steps,
                   const MarginCurveOptions& options, StepCurves& curves);

}  // namespace simplexboost
