#include "simplexboost/forest.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace simplexboost {
namespace {

// Trees of width 1 that add `code` times their value, as trees that were made so.
TEST(SpreadTrees, GivesWhatTreesOfThatWidthAre) {
  const std::array<Node, 1> cut{Node{.threshold = 0.5, .feature = 3, .left = ~0, .right = ~1}};
  const std::array<LinearFeature, 2> features{LinearFeature{.feature = 1},
                                              LinearFeature{.feature = 2}};
  const std::array code{1.0F, 0.0F, -2.0F};
  const auto times = [&](const std::vector<float>& values) {
    std::vector<float> result;
    for (const float value : values)
      for (const float factor : code) result.push_back(value * factor);
    return result;
  };
  const auto fill = [&](Forest& forest, bool wide) {
    const auto values = [&](const std::vector<float>& one) { return wide ? times(one) : one; };
    append_tree(forest, cut, values({-1, 1}), 2, wide ? code.size() : 1, std::array{1.0F});
    append_linear(forest, features, values({4}), values({5, 6}), 2);
    append_tree(forest, cut, values({7, 8}), 2, wide ? code.size() : 1, std::array{1.0F});
    append_linear(forest, features, values({9}), values({10, 11}), 2);
  };
  Forest forest;
  append_tree(forest, cut, std::array{1.0F, 2.0F, 3.0F, 4.0F}, 0, 2, std::array{1.0F});
  append_linear(forest, features, std::array{1.0F, 2.0F}, std::array{1.0F, 2.0F, 3.0F, 4.0F}, 0);
  Forest expected = forest;
  fill(forest, false);
  fill(expected, true);
  spread_trees(forest, 2, code);
  EXPECT_EQ(forest, expected);
}

TEST(SpreadTrees, LeavesAForestWithoutNewTreesAlone) {
  Forest forest;
  append_tree(forest, {}, std::array{1.0F, 2.0F}, 0, 2);
  const Forest before = forest;
  spread_trees(forest, 1, std::array{1.0F, 2.0F});
  EXPECT_EQ(forest, before);
}

}  // namespace
}  // namespace simplexboost
