#include "optimizer/search/line_search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace simplexboost {
namespace {

TEST(LineSearch, FindsTheRootOfRandomConvexRisksFromAnyGuess) {
  Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    // risk(a) = P e^-sa + Q e^sa: the root is ln(P/Q) / 2s.
    const double p = 1 + 100 * random.uniform();
    const double q = p * random.uniform();
    const double s = 0.05 + 3 * random.uniform();
    const auto descent = [&](double a) { return s * (p * std::exp(-s * a) - q * std::exp(s * a)); };
    const double root = std::log(p / q) / (2 * s);
    for (const double guess : {1e-3, 1.0, 5.0}) {
      const double found = find_step(descent, descent(0), guess, 1000, 1e-9);
      EXPECT_NEAR(found, root, 1e-6 * (1 + root)) << "guess " << guess;
    }
  }
}

TEST(LineSearch, GoesToTheEndWhereTheRiskFallsAllTheWay) {
  EXPECT_EQ(find_step([](double a) { return std::exp(-a); }, 1, 0.5, 7, 1e-6), 7);
}

// Where the first guess is nothing, twice of it is, too.
TEST(LineSearch, EndsWithoutAGuess) {
  EXPECT_EQ(find_step([](double a) { return std::exp(-a); }, 1, 0, 7, 1e-6), 0);
}

TEST(LineSearch, StopsAtTheGuessWhereTheSlopeIsGoneThere) {
  EXPECT_EQ(find_step([](double a) { return 2 - a; }, 2, 2, 10), 2);
}

}  // namespace
}  // namespace simplexboost
