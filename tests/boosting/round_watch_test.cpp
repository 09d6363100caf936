#include "boosting/round_watch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace simplexboost {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

RoundWatch watched(BestRoundRule rule, bool higher, std::size_t start,
                   const std::vector<double>& values) {
  RoundWatch watch(rule, higher, start);
  for (const double value : values) watch.add(value);
  return watch;
}

TEST(RoundWatch, KeepsTheFirstOfTheBestRounds) {
  const std::vector<double> values{0.5, 0.2, 0.4, 0.2, 0.3};
  EXPECT_EQ(watched(BestRoundRule::kBest, false, 0, values).best_rounds(), 2U);
  EXPECT_EQ(watched(BestRoundRule::kBest, false, 0, values).rounds_since_best(), 3U);
  EXPECT_EQ(watched(BestRoundRule::kBest, true, 0, values).best_rounds(), 1U);
  EXPECT_EQ(watched(BestRoundRule::kBest, false, 2, values).best_rounds(), 4U);
}

TEST(RoundWatch, NaNIsNeverTheBestNorDoesItStay) {
  const auto watch = watched(BestRoundRule::kBest, true, 0, {kNone, 0.4, kNone, 0.6, kNone});
  EXPECT_EQ(watch.best_rounds(), 4U);
  EXPECT_DOUBLE_EQ(watch.best_value(), 0.6);
  const auto smoothed =
      watched(BestRoundRule::kSmoothed, false, 0, {kNone, 0.4, 0.3, 0.2, 0.1, 0.1});
  EXPECT_EQ(smoothed.best_rounds(), 6U);
}

TEST(RoundWatch, KeepsAllRoundsWhereNoneMayBeChosen) {
  const auto watch = watched(BestRoundRule::kSmoothed, false, 50, {0.3, 0.2, 0.4});
  EXPECT_EQ(watch.best_rounds(), 3U);
  EXPECT_EQ(watch.rounds_since_best(), 0U);
  EXPECT_TRUE(std::isnan(watch.best_value()));
}

// icml2014 (15), word for word.
std::size_t naive_smoothed(const std::vector<double>& values, std::size_t start) {
  std::size_t best = values.size();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t round = start + 1; round <= values.size(); ++round) {
    double sum = 0;
    double count = 0;
    for (std::size_t t = 1; t <= round; ++t) {
      if (static_cast<double>(t) < std::floor(0.8 * static_cast<double>(round) + 1e-9)) continue;
      sum += values[t - 1];
      count += 1;
    }
    if (sum / count < least - 1e-12) {
      least = sum / count;
      best = round;
    }
  }
  return best;
}

RC_GTEST_PROP(RoundWatch, SmoothedIsTheRuleOfThePaper, ()) {
  const auto numbers =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 64)));
  const auto start = static_cast<std::size_t>(*rc::gen::inRange(0, 8));
  std::vector<double> values;
  for (const int number : numbers) values.push_back(number / 64.0);
  const auto watch = watched(BestRoundRule::kSmoothed, false, start, values);
  RC_ASSERT(watch.best_rounds() == naive_smoothed(values, start));
}

}  // namespace
}  // namespace simplexboost
