#include "metric/roc_area.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <tuple>

namespace simplexboost {
namespace {

using Row = std::tuple<int, std::vector<float>, double>;  // class, probabilities, weight

double naive_area(const std::vector<Row>& rows, std::size_t k) {
  double won = 0;
  double pairs = 0;
  for (const auto& [own, p, v] : rows)
    for (const auto& [other, q, w] : rows) {
      if (static_cast<std::size_t>(own) != k || static_cast<std::size_t>(other) == k) continue;
      won += v * w * (p[k] > q[k] ? 1 : p[k] == q[k] ? 0.5 : 0);
      pairs += v * w;
    }
  return won / pairs;
}

RocAreas areas_of(const std::vector<Row>& rows, std::size_t classes) {
  RocAreas areas(classes);
  for (const auto& [own, p, w] : rows)
    areas.add_truth(static_cast<std::size_t>(own), p[static_cast<std::size_t>(own)], w);
  areas.sort();
  RocAreas::Wins wins = areas.no_wins();
  for (const auto& [own, p, w] : rows)
    for (std::size_t k = 0; k < classes; ++k)
      if (k != static_cast<std::size_t>(own)) areas.add_other(wins, k, p[k], w);
  areas.set(wins);
  return areas;
}

RC_GTEST_PROP(RocAreas, AgreeWithCountingAllPairs, ()) {
  constexpr std::size_t kClasses = 3;
  // Few distinct values, so that there are ties.
  const auto probability =
      rc::gen::map(rc::gen::inRange(0, 5), [](int p) { return static_cast<float>(p) / 4; });
  const auto rows = *rc::gen::container<std::vector<Row>>(rc::gen::tuple(
      rc::gen::inRange(0, static_cast<int>(kClasses)),
      rc::gen::container<std::vector<float>>(kClasses, probability),
      rc::gen::map(rc::gen::inRange(1, 4), [](int w) { return static_cast<double>(w); })));
  const RocAreas areas = areas_of(rows, kClasses);
  double sum = 0;
  double count = 0;
  for (std::size_t k = 0; k < kClasses; ++k) {
    const double naive = naive_area(rows, k);
    RC_ASSERT(std::isnan(naive) == std::isnan(areas.area(k)));
    if (std::isnan(naive)) continue;
    RC_ASSERT(std::abs(naive - areas.area(k)) < 1e-12);
    sum += naive;
    count += 1;
  }
  if (count > 0) RC_ASSERT(std::abs(areas.macro() - sum / count) < 1e-12);
}

TEST(RocAreas, WeightedOnesCountByRows) {
  // Class 0: two rows, both above; class 1: one row, below one of two and above the other.
  const std::vector<Row> rows{{0, {0.9F, 0.1F}, 1}, {0, {0.6F, 0.4F}, 1}, {1, {0.5F, 0.3F}, 1}};
  const RocAreas areas = areas_of(rows, 2);
  EXPECT_DOUBLE_EQ(areas.area(0), 1);
  EXPECT_DOUBLE_EQ(areas.area(1), 0.5);
  EXPECT_DOUBLE_EQ(areas.macro(), 0.75);
  EXPECT_DOUBLE_EQ(areas.weighted(), (2 * 1 + 1 * 0.5) / 3);
}

}  // namespace
}  // namespace simplexboost
