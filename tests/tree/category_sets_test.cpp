#include "tree/split/category_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"

namespace simplexboost {
namespace {

// Sets of a few patterns, large and small, of several features, appended node by node; all shared
// by one index or each searched for by itself.
Forest appended(std::size_t nodes, bool indexed) {
  Random random(7);
  Forest forest;
  CategorySets all(forest, nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    Node node;
    node.categorical = random.below(10) > 0;
    node.feature = static_cast<std::uint32_t>(random.below(3));
    const auto pattern = static_cast<std::uint32_t>(random.below(700));
    std::vector<std::uint32_t> words(pattern % 5 == 0 ? 4 : 16 + pattern % 2, pattern);
    words[words.size() / 2] = static_cast<std::uint32_t>(random.below(4));
    if (node.categorical) {
      CategorySets one(forest, 1);
      (indexed ? all : one).give(words, node);
      EXPECT_TRUE(std::equal(words.begin(), words.end(), forest.set_words.begin() + node.set));
    }
    forest.nodes.push_back(node);
  }
  return forest;
}

TEST(CategorySets, AreFoundByAnIndexAsByASearch) {
  const Forest found = appended(12'000, true);
  const Forest searched = appended(12'000, false);
  EXPECT_EQ(found.set_words, searched.set_words);
  for (std::size_t i = 0; i < found.nodes.size(); ++i) {
    EXPECT_EQ(found.nodes[i].set, searched.nodes[i].set);
    EXPECT_EQ(found.nodes[i].set_size, searched.nodes[i].set_size);
  }
}

TEST(CategorySets, LargeOnesAreSharedAndThoseFarBackAreNot) {
  Forest forest;
  const std::vector<std::uint32_t> words(20, 5);
  const auto add = [&](std::uint32_t feature) {
    CategorySets sets(forest, 1000);
    Node node;
    node.categorical = true;
    node.feature = feature;
    sets.give(words, node);
    forest.nodes.push_back(node);
    return node.set;
  };
  EXPECT_EQ(add(1), 0U);
  EXPECT_EQ(add(1), 0U);
  EXPECT_EQ(add(2), 20U);
  forest.nodes.resize(forest.nodes.size() + 5000);
  EXPECT_EQ(add(1), 40U);
}

}  // namespace
}  // namespace simplexboost
