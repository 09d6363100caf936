// The curves of the two objectives of dmcboost (kdd2014) over the step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "optimizer/search/step_curves.h"
#include "optimizer/target/row_votes.h"

namespace simplexboost {

// Of all rows, one after the other: dmcboost does without parted rows.
double weight_of_rows(const Problem& problem);

// Steps of both signs at which the error can be told apart: between the points where it changes
// for some row and label. All such intervals where there are few, else some, denser near 0.
std::vector<double> error_steps(const VoteView& view, std::size_t count);

// The weight of the rows that are right: cells count those that become so, or cease to be. Exact at
// every step; weights are rounded to 2^-29 of their sum unless they are whole numbers.
void error_curves(const VoteView& view, std::span<const double> steps, StepCurves& curves);

// How the average of the n' smallest margins moves with the votes. By Theorem 1 it is the soft
// margin
//
//   max over rho of  rho - 1/n' sum_i (rho - m_i)+,    m_i = a(x_i, c) - max_l a(x_i, l),
//
// at its best rho = `edge`, the n'-th smallest margin. It has a corner wherever a row enters the n'
// or its strongest rival changes, and coordinate ascent ends in the first one that no tree leads
// out of. So trees are chosen by its slope seen from `width` away: with the corner of (.)+ rounded
// off to a softplus, and max_l to a log-sum-exp, a vote for y on row i adds
//
//   w_i sigmoid((rho - m_i) / width) ([y = c] - [y != c] softmax_l(a(x_i, l) / width)_y).
//
// There is one step, an infinitely short one.
void margin_slopes(const VoteView& view, double edge, double width, StepCurves& curves);

}  // namespace simplexboost
