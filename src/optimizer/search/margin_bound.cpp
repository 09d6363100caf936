#include "optimizer/search/margin_bound.h"

#include <cmath>

namespace simplexboost {
namespace {

double divergence_of(double q, double p) {
  const double first = q > 0 ? q * std::log(q / p) : 0;
  return first + (q < 1 ? (1 - q) * std::log((1 - q) / (1 - p)) : 0);
}

}  // namespace

double log_tree_count(double leaves, double cuts, double classes) {
  return (leaves - 1) * std::log(cuts + 1) + leaves * std::log(classes);
}

double inverse_divergence(double share, double divergence) {
  double low = share;
  double high = 1;
  constexpr int kHalvings = 60;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (divergence_of(share, middle) <= divergence ? low : high) = middle;
  }
  return high;
}

double margin_bound(const MarginBoundProblem& problem, double theta) {
  const double n = problem.rows;
  const double h = problem.log_hypotheses;
  const double rest = (problem.classes - 1) * h / (2 * n) + std::sqrt(h / (2 * n * n));
  if (!(theta > 0) || !(std::log(theta) > std::log(problem.delta) - h)) return rest + 1;
  const double u = 8 / (theta * theta) * std::log(2 * n * n / h) * (std::log(2.0) + h) + h -
                   std::log(problem.delta);
  return rest + inverse_divergence((problem.bottom - 1) / n, u / n);
}

}  // namespace simplexboost
