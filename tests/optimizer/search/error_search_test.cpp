#include "optimizer/search/error_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "optimizer/vote_problem.h"

namespace simplexboost {
namespace {

using testing::VoteProblem;

// The least error over all intervals between the differences of any two votes of a row.
double brute_force(const VoteProblem& problem) {
  std::vector<double> points{0};
  for (std::size_t i = 0; i < problem.problem.rows(); ++i)
    for (std::size_t y = 0; y < problem.problem.classes; ++y)
      for (std::size_t l = 0; l < problem.problem.classes; ++l)
        points.push_back(static_cast<double>(problem.view().of(i)[y]) -
                         static_cast<double>(problem.view().of(i)[l]));
  std::sort(points.begin(), points.end());
  double least = std::min(problem.error(points.front() - 1), problem.error(points.back() + 1));
  for (std::size_t i = 0; i + 1 < points.size(); ++i)
    if (points[i + 1] - points[i] > 1e-6)
      least = std::min(least, problem.error((points[i] + points[i + 1]) / 2));
  return least;
}

TEST(ErrorSearch, FindsTheLeastErrorOfAnySignAsBruteForceDoes) {
  Random random(1);
  for (int trial = 0; trial < 500 && !::testing::Test::HasFailure(); ++trial) {
    SCOPED_TRACE(trial);
    const VoteProblem problem(1 + random.below(12), 2 + random.below(4), random.below(2) == 0,
                              random);
    std::vector<ErrorPoint> points;
    const double start = error_points(problem.view(), problem.chosen, points);
    const ErrorInterval best = best_interval(points, start, 1e-6);
    EXPECT_NEAR(best.error, brute_force(problem), 1e-9);
    EXPECT_LT(best.from, best.to);
    // It is the error at the step that is taken, and anywhere in the interval.
    const double step = best.step(1);
    EXPECT_GT(step, best.from);
    EXPECT_LT(step, best.to);
    EXPECT_NEAR(problem.error(step), best.error, 1e-9);
  }
}

TEST(ErrorSearch, LeavesOutPointsThatAreNoNumbers) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::vector<ErrorPoint> points{{kNone, -1}, {1, -2}, {kNone, 1}, {3, 1}};
  const ErrorInterval best = best_interval(points, 5, 0);
  EXPECT_EQ(best.from, 1);
  EXPECT_EQ(best.to, 3);
  EXPECT_EQ(best.error, 3);
}

TEST(ErrorSearch, RowsWithoutAVoteNeverChange) {
  Random random(2);
  VoteProblem problem(20, 3, false, random);
  std::fill(problem.chosen.begin(), problem.chosen.end(), -1);
  std::vector<ErrorPoint> points;
  const double start = error_points(problem.view(), problem.chosen, points);
  EXPECT_TRUE(points.empty());
  EXPECT_EQ(start, problem.error(0));
}

TEST(ErrorSearch, TakesTheMiddleOfTheWidestOfEqualIntervals) {
  std::vector<ErrorPoint> points{{3, 1}, {0, -1}, {5, -1}, {6, 1}, {1, 1}, {2, -1}};
  const ErrorInterval best = best_interval(points, 2, 0);
  EXPECT_EQ(best.error, 1);
  EXPECT_EQ(best.step(1), 0.5);
  points = {{0, -1}, {1, 1}, {2, -1}, {4, 1}};
  EXPECT_EQ(best_interval(points, 2, 0).step(1), 3);
  points = {{0, -1}, {1e-9, 1}, {2, -1}, {2.5, 1}};
  EXPECT_EQ(best_interval(points, 2, 1e-6).step(1), 2.25);
  points = {{4, -1}};
  EXPECT_EQ(best_interval(points, 2, 0).step(0.5), 4.5);
  points = {{4, 1}};
  EXPECT_EQ(best_interval(points, 2, 0).step(0.5), 3.5);
}

TEST(ErrorSearch, StaysBetweenZeroAndALengthIfAsked) {
  Random random(3);
  for (int trial = 0; trial < 300 && !::testing::Test::HasFailure(); ++trial) {
    SCOPED_TRACE(trial);
    const VoteProblem problem(1 + random.below(12), 2 + random.below(4), false, random);
    const double length = 2 * random.uniform() - 1;
    std::vector<ErrorPoint> points;
    const double start = error_points(problem.view(), problem.chosen, points);
    const ErrorInterval best = best_interval_towards(points, start, length, 1e-6);
    double least = std::numeric_limits<double>::infinity();
    for (int i = 1; i < 1000; ++i) least = std::min(least, problem.error(length * i / 1000));
    EXPECT_LE(best.error, least);
    EXPECT_NEAR(problem.error(best.step(1)), best.error, 1e-9);
    EXPECT_GE(best.step(1) * length, 0);
    EXPECT_LE(std::fabs(best.step(1)), std::fabs(length));
  }
}

}  // namespace
}  // namespace simplexboost
