#include "report/facts/class_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/random.h"

namespace simplexboost {
namespace {

// Classes k with the same k % groups are confused with each other.
std::vector<float> planted(std::size_t classes, std::size_t groups) {
  std::vector<float> likeness(classes * classes);
  Random random(5);
  for (std::size_t i = 0; i < classes; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double like = i % groups == j % groups ? 0.1 + 0.2 * random.uniform() : 0;
      likeness[i * classes + j] = likeness[j * classes + i] = static_cast<float>(like);
    }
  return likeness;
}

void expect_sound(const ClassOrder& order, std::size_t classes) {
  std::vector<std::uint32_t> sorted = order.order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint32_t> all(classes);
  std::iota(all.begin(), all.end(), 0U);
  EXPECT_EQ(sorted, all);
  ASSERT_FALSE(order.groups.empty());
  EXPECT_EQ(order.groups.front(), 0U);
  EXPECT_TRUE(std::is_sorted(order.groups.begin(), order.groups.end()));
  EXPECT_LT(order.groups.back(), classes);
}

TEST(ClassOrder, PutsConfusedClassesTogether) {
  constexpr std::size_t kClasses = 36;
  constexpr std::size_t kGroups = 6;
  const ClassOrder order = order_classes(planted(kClasses, kGroups), kClasses);
  expect_sound(order, kClasses);
  std::size_t changes = 0;
  for (std::size_t i = 1; i < kClasses; ++i)
    changes += order.order[i] % kGroups != order.order[i - 1] % kGroups ? 1U : 0U;
  EXPECT_EQ(changes, kGroups - 1);
  // No group that folds mixes classes that are never confused.
  for (std::size_t g = 0; g < order.groups.size(); ++g) {
    const std::size_t end = g + 1 < order.groups.size() ? order.groups[g + 1] : kClasses;
    for (std::size_t i = order.groups[g]; i < end; ++i)
      EXPECT_EQ(order.order[i] % kGroups, order.order[order.groups[g]] % kGroups);
  }
}

TEST(ClassOrder, TakesAnyLikeness) {
  for (const std::size_t classes : {1U, 2U, 3U, 12U, 100U}) {
    expect_sound(order_classes(std::vector<float>(classes * classes, 0), classes), classes);
    expect_sound(order_classes(std::vector<float>(classes * classes, 1), classes), classes);
    std::vector<float> random_likeness(classes * classes);
    Random random(classes);
    for (std::size_t i = 0; i < classes; ++i)
      for (std::size_t j = 0; j < i; ++j)
        random_likeness[i * classes + j] = random_likeness[j * classes + i] =
            static_cast<float>(random.uniform());
    expect_sound(order_classes(random_likeness, classes), classes);
  }
}

TEST(ClassOrder, LikenessIsWhatMovesBetweenTwoClasses) {
  // Of the first class a quarter is said to be of the second, of the third nothing is known.
  const std::vector<double> mass{3, 1, 0, 0, 8, 0, 0, 0, 0};
  const std::vector<float> likeness = class_likeness(mass, 3);
  EXPECT_FLOAT_EQ(likeness[0 * 3 + 1], 0.25F / (0.25F + 1.75F));
  EXPECT_FLOAT_EQ(likeness[1 * 3 + 0], likeness[0 * 3 + 1]);
  EXPECT_EQ(likeness[0 * 3 + 2], 0);
}

}  // namespace
}  // namespace simplexboost
