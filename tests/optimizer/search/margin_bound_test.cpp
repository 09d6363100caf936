#include "optimizer/search/margin_bound.h"

#include <gtest/gtest.h>

#include <cmath>

namespace simplexboost {
namespace {

TEST(MarginBound, InverseOfTheDivergence) {
  for (const double q : {0.0, 0.1, 0.25, 0.7})
    for (const double p : {0.71, 0.8, 0.99}) {
      const double divergence =
          (q > 0 ? q * std::log(q / p) : 0) + (1 - q) * std::log((1 - q) / (1 - p));
      EXPECT_NEAR(inverse_divergence(q, divergence), p, 1e-9);
    }
  EXPECT_NEAR(inverse_divergence(0.3, 0), 0.3, 1e-6);
  EXPECT_NEAR(inverse_divergence(0.3, 1e9), 1, 1e-9);
}

TEST(MarginBound, CountsTreesOfCutsAndLabels) {
  // Two leaves: one of 3 cuts or none, and a class for each side.
  EXPECT_NEAR(log_tree_count(2, 3, 5), std::log(4.0 * 5 * 5), 1e-12);
}

// By hand: the terms of Theorem 2 for n = 1e9, where it says something.
TEST(MarginBound, IsTheSumOfTheTheoremsTerms) {
  const MarginBoundProblem problem{1e9, 1e8, 3, 100, 0.05};
  const double theta = 0.5;
  const double u = 8 / 0.25 * std::log(2e18 / 100) * (std::log(2.0) + 100) + 100 + std::log(20.0);
  const double expected =
      2 * 100 / 2e9 + std::sqrt(100 / 2e18) + inverse_divergence((1e8 - 1) / 1e9, u / 1e9);
  EXPECT_NEAR(margin_bound(problem, theta), expected, 1e-12);
  EXPECT_LT(margin_bound(problem, theta), 0.11);
  EXPECT_GT(margin_bound(problem, 0.1), margin_bound(problem, theta));
  EXPECT_GE(margin_bound(problem, 0), 1);
  EXPECT_NEAR(margin_bound(problem, -0.2), margin_bound(problem, 1e-6), 1e-6);
}

}  // namespace
}  // namespace simplexboost
