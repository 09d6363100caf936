#include "tuning/search_space.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/random.h"
#include "boosting/setup/algorithm_table.h"
#include "boosting/setup/search_table.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

TEST(SearchRange, DrawsWholeNumbersEvenlyBetweenBothEnds) {
  const SearchRange range = parse_range("depth=2:5");
  Random random(1);
  std::map<std::string, int> counts;
  for (int i = 0; i < 4000; ++i) ++counts[range.draw(random)];
  ASSERT_EQ(counts.size(), 4U);
  for (const auto& [value, count] : counts) EXPECT_NEAR(count, 1000, 150) << value;
}

TEST(SearchRange, DrawsLogarithmicallyIfTold) {
  const SearchRange range = parse_range("learning-rate=0.01:1:log");
  Random random(1);
  int below = 0;
  for (int i = 0; i < 2000; ++i) {
    const double value = std::stod(range.draw(random));
    EXPECT_GE(value, 0.01);
    EXPECT_LE(value, 1);
    if (value < 0.1) ++below;
  }
  EXPECT_NEAR(below, 1000, 150);
}

TEST(SearchRange, DrawsFromAList) {
  const SearchRange range = parse_range("loss=exponential,savage");
  Random random(1);
  std::set<std::string> values;
  for (int i = 0; i < 50; ++i) values.insert(range.draw(random));
  EXPECT_EQ(values, (std::set<std::string>{"exponential", "savage"}));
}

TEST(SearchRange, LogarithmicWholeNumbersBeginAtOne) {
  const SearchRange range = parse_range("min_rows=1:10:log");
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    const int value = std::stoi(range.draw(random));
    EXPECT_GE(value, 1);
    EXPECT_LE(value, 10);
  }
}

TEST(SearchRange, RefusesNonsense) {
  for (const char* text :
       {"depth", "depth=", "=3", "deph=2:3", "depth=5:2", "depth=2:x", "depth=0:900",
        "learning-rate=0:1:log", "depth=1:2:3", "depth=1:2:log:4", "loss=best", "rounds=10:20",
        "seed=1,2", "algorithm=newton,samme", "depth=1,,2"})
    EXPECT_THROW(parse_range(text), ParameterError) << text;
}

TEST(SearchSpace, DrawsDependOnSeedAndNumberOnly) {
  const SearchSpace space = make_space("newton", {}, {});
  EXPECT_TRUE(space.draw(1, 0).empty());
  EXPECT_EQ(space.draw(1, 3), space.draw(1, 3));
  EXPECT_NE(space.draw(1, 3), space.draw(2, 3));
  EXPECT_NE(space.draw(1, 3), space.draw(1, 4));
}

TEST(SearchSpace, OwnRangesAndFixedParametersComeFirst) {
  const SearchSpace space = make_space("gd-mcboost", {parse_range("leaves=4,8")}, {"loss"});
  std::set<std::string> names;
  for (const SearchRange& range : space.ranges) names.insert(range.name);
  EXPECT_TRUE(names.contains("leaves"));
  EXPECT_FALSE(names.contains("loss"));
  EXPECT_FALSE(names.contains("depth"));  // leaves say the size of the trees
}

TEST(SearchSpace, GridsHaveAllCombinations) {
  SearchSpace space{"samme", {parse_range("depth=3,5,8,12"), parse_range("criterion=gini,error")}};
  ASSERT_EQ(space.grid_size(), 8U);
  std::set<std::string> points;
  for (std::size_t i = 0; i < 8; ++i) points.insert(settings_text(space.grid_point(i)));
  EXPECT_EQ(points.size(), 8U);
  space.ranges.push_back(parse_range("learning-rate=0.1:1"));
  EXPECT_EQ(space.grid_size(), 0U);
}

TEST(SearchTable, EveryRowIsOfAnAlgorithmAndEveryRangeIsSound) {
  for (const SearchRow& row : search_table()) {
    if (!row.algorithm.empty()) {
      EXPECT_NO_THROW(find_algorithm(row.algorithm)) << row.algorithm;
    }
    for (const std::string_view range : row.ranges) EXPECT_NO_THROW(parse_range(range)) << range;
  }
  for (const AlgorithmRow& row : algorithm_table())
    EXPECT_FALSE(make_space(std::string(row.name), {}, {}).ranges.empty());
}

}  // namespace
}  // namespace simplexboost
