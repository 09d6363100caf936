#include "optimizer/search/margin_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "optimizer/vote_problem.h"

namespace simplexboost {
namespace {

using testing::VoteProblem;

double weight_of(const VoteProblem& problem) {
  return std::accumulate(problem.weights.begin(), problem.weights.end(), 0.0);
}

// A share of the weight from one row's to all of it.
double random_mass(const VoteProblem& problem, Random& random) {
  const double all = weight_of(problem);
  switch (random.below(4)) {
    case 0: return all;
    case 1: return *std::min_element(problem.weights.begin(), problem.weights.end());
    default: return all * (0.05 + 0.9 * random.uniform());
  }
}

// A: no vote of a row can be more than the sum of all steps.
double random_total(Random& random) { return 1.6 + random.uniform(); }

TEST(MarginSearch, SelectsTheSmallestAsSortingDoes) {
  Random random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const VoteProblem problem(1 + random.below(40), 2 + random.below(3), trial % 2 == 0, random);
    const double mass = random_mass(problem, random);
    MarginSearch search(problem.weights, mass, problem.problem.space);
    std::vector<float> margins;
    for (std::size_t i = 0; i < problem.problem.rows(); ++i)
      margins.push_back(problem.rows[i].own - problem.rows[i].top);
    const Bottom bottom = search.bottom(margins);
    EXPECT_NEAR(bottom.sum / mass, problem.objective(0, mass, 1), 1e-6);
    // A range, right or wrong, is a hint only.
    for (const ValueBounds range :
         {ValueBounds{bottom.edge - 0.1F, bottom.edge + 0.1F},
          ValueBounds{bottom.edge, bottom.edge}, ValueBounds{bottom.edge + 0.1F, bottom.edge + 1},
          ValueBounds{bottom.edge - 1, bottom.edge - 0.1F}}) {
      EXPECT_EQ(search.bottom(margins, range).edge, bottom.edge);
      EXPECT_EQ(search.bottom(margins, range).sum, bottom.sum);
    }
  }
}

TEST(MarginSearch, FindsTheBestStepAsAGridDoes) {
  Random random(2);
  for (int trial = 0; trial < 300 && !::testing::Test::HasFailure(); ++trial) {
    SCOPED_TRACE(trial);
    const VoteProblem problem(1 + random.below(25), 2 + random.below(4), trial % 2 == 0, random);
    const double mass = random_mass(problem, random);
    const double total = random_total(random);
    const double longest = 3;
    MarginSearch search(problem.weights, mass, problem.problem.space);
    for (const auto ways : {MarginSearch::Ways::kBoth, MarginSearch::Ways::kForward}) {
      const MarginSearch::Result found = search.search(problem.lines(), total, ways, longest, 1e-5);
      EXPECT_NEAR(found.objective, problem.objective(found.length, mass, total), 1e-6);
      double best = problem.objective(0, mass, total);
      for (int i = ways == MarginSearch::Ways::kBoth ? -600 : 0; i <= 600; ++i)
        best = std::max(best, problem.objective(longest * i / 600, mass, total));
      EXPECT_GE(found.objective, best - 1e-4);
      EXPECT_LE(std::fabs(found.length), longest);
      EXPECT_TRUE(ways == MarginSearch::Ways::kBoth || found.length >= 0);
    }
  }
}

// Theorem 3: up, then down. For steps of one sign; for both together where the objective is
// positive, which is all that its proof shows.
TEST(MarginSearch, TheObjectiveIsQuasiConcaveInTheStep) {
  Random random(3);
  for (int trial = 0; trial < 300 && !::testing::Test::HasFailure(); ++trial) {
    SCOPED_TRACE(trial);
    const VoteProblem problem(1 + random.below(25), 2 + random.below(4), trial % 2 == 0, random);
    const double mass = random_mass(problem, random);
    const double total = random_total(random);
    double last = problem.objective(-4, mass, total);
    bool falls = false;
    bool falls_from_above = false;  // from a positive value
    for (int i = -399; i <= 400; ++i) {
      const double value = problem.objective(i / 100.0, mass, total);
      if (i == 1) falls = false;
      if (falls || (falls_from_above && value > 0)) {
        EXPECT_LE(value, last + 1e-9) << "at " << i / 100.0;
      }
      if (value < last - 1e-9) {
        falls = true;
        falls_from_above |= last > 0;
      }
      last = value;
    }
  }
}

TEST(MarginSearch, DerivativesAreThoseOfTheQuotientRule) {
  Random random(4);
  for (int trial = 0; trial < 300 && !::testing::Test::HasFailure(); ++trial) {
    SCOPED_TRACE(trial);
    const VoteProblem problem(1 + random.below(25), 2 + random.below(4), trial % 2 == 0, random);
    const double mass = random_mass(problem, random);
    const double total = random_total(random);
    const double alpha = trial % 5 == 0 ? 0 : 2 * random.uniform() - 1;
    MarginSearch search(problem.weights, mass, problem.problem.space);
    for (const auto side : {MarginSearch::Side::kLeft, MarginSearch::Side::kRight}) {
      const double h = side == MarginSearch::Side::kLeft ? -1e-7 : 1e-7;
      const double slope =
          (problem.objective(alpha + h, mass, total) - problem.objective(alpha, mass, total)) / h;
      const double size = total + std::fabs(alpha);
      EXPECT_NEAR(search.point(problem.lines(), total, alpha, side).derivative,
                  slope * size * size * mass, 1e-4 * mass);
    }
  }
}

}  // namespace
}  // namespace simplexboost
