// What a leaf says under the logistic loss: a Newton step that cannot raise the loss of its rows.
//
// The scores of a leaf's rows move by rate * v together. With G and H the sums of their pulls and
// diagonal curvatures, v is G_k / (damping H_k + l2). Along v, with R = max v - min v, the third
// derivative of the leaf's loss is no more than R times the second, and the second no more than
// 2 sum H v^2; so the loss changes by no more than
//
//   -rate <G, v> + 2 sum H v^2 (e^x - 1 - x) / R^2,  x = rate R.
//
// Where that is above 0, large entries are cut off, and all of them made smaller, until it is not.
// With an l2 of 1 and a rate of 0.1 that hardly ever happens.
#pragma once

#include <span>

namespace simplexboost {

// `values`: v, made smaller where it must be. A common factor of pulls and curvatures does not
// matter.
void bound_leaf_step(std::span<const double> pulls, std::span<const double> curvature, double rate,
                     std::span<float> values);

}  // namespace simplexboost
