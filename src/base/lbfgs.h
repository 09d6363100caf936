// Minimises a smooth function of many variables: L-BFGS (Nocedal and Wright, section 7.2) with a
// backtracking line search.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace simplexboost {

// The value at x; writes the gradient.
using SmoothFunction = std::function<double(std::span<const double> x, std::span<double> gradient)>;

struct LbfgsOptions {
  std::size_t evaluations = 100;  // at most
  double tolerance = 1e-10;       // ends when a step lowers the value by less than this
  double first_step = 0.1;        // length of the first step
  std::size_t memory = 30;        // steps that the curvature is told from
};

// Moves x downhill; the value never rises. Returns the number of evaluations.
std::size_t minimise(const SmoothFunction& function, std::vector<double>& x,
                     const LbfgsOptions& options);

}  // namespace simplexboost
