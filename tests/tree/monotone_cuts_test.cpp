// Cuts where scores must go one way, judged as a plain program would judge them.
#include "tree/split/monotone_cuts.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace simplexboost {
namespace {

constexpr std::size_t kOutputs = 3;
constexpr std::size_t kChannels = 8;

struct Sums {
  std::int32_t values[kChannels] = {};
};

Sums random_sums(Random& random) {
  Sums sums;
  sums.values[kCountChannel] = 100;
  sums.values[kWeightChannel] = static_cast<std::int32_t>(1 + random.below(1000));
  for (std::size_t j = 0; j < kOutputs; ++j)
    sums.values[kPullChannel + j] = static_cast<std::int32_t>(random.below(2000)) - 1000;
  return sums;
}

Sums plus(const Sums& a, const Sums& b) {
  Sums sum;
  for (std::size_t j = 0; j < kChannels; ++j) sum.values[j] = a.values[j] + b.values[j];
  return sum;
}

CriterionSpec least_squares(float l2) {
  CriterionSpec spec;
  spec.channels = kChannels;
  spec.pulls = kOutputs;
  spec.l2 = l2;
  return spec;
}

// Feature 0 raises output 1 and lowers the others; feature 1 the other way; feature 2 is free.
Monotone some_monotone() { return {{1, -1, 0}, {1, 1, 0}, kOutputs}; }

TEST(MonotoneCuts, OfFreeFeaturesAreThoseOfTheCriterion) {
  const Monotone monotone = some_monotone();
  const CriterionSpec spec = least_squares(3);
  MonotoneCuts cuts(monotone);
  ASSERT_TRUE(cuts.start(spec));
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const Sums left = random_sums(random);
    const Sums total = plus(left, random_sums(random));
    const float wanted = kernels().score(spec, left.values, total.values);
    EXPECT_NEAR(cuts.score(0, 2, left.values, total.values), wanted, 1e-4F * (1 + wanted));
    // Statistics stand behind the features, and are free.
    EXPECT_NEAR(cuts.score(0, 9, left.values, total.values), wanted, 1e-4F * (1 + wanted));
  }
}

// The best pair of values by search: the objective is a parabola in each, so on a grid of borders
// either both are free or both are at the border.
double best_by_search(double g_left, double w_left, double g_right, double w_right, bool rises) {
  const auto gain = [](double g, double w, double v) { return v * (2 * g - w * v); };
  const double left = g_left / w_left;
  const double right = g_right / w_right;
  if (rises ? left <= right : left >= right)
    return gain(g_left, w_left, left) + gain(g_right, w_right, right);
  double best = -1e300;
  for (int i = 0; i <= 4000; ++i) {
    const double border = std::min(left, right) + std::abs(left - right) * i / 4000;
    best = std::max(best, gain(g_left, w_left, border) + gain(g_right, w_right, border));
  }
  return best;
}

TEST(MonotoneCuts, GainWhatValuesInOrderGain) {
  const Monotone monotone = some_monotone();
  MonotoneCuts cuts(monotone);
  ASSERT_TRUE(cuts.start(least_squares(2)));
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    const Sums left = random_sums(random);
    const Sums right = random_sums(random);
    const Sums total = plus(left, right);
    for (const std::size_t feature : {0U, 1U}) {
      double wanted = 0;
      for (std::size_t j = 0; j < kOutputs; ++j)
        wanted += best_by_search(left.values[kPullChannel + j], left.values[kWeightChannel] + 2.0,
                                 right.values[kPullChannel + j], right.values[kWeightChannel] + 2.0,
                                 (feature == 0) == (j == 1));
      EXPECT_NEAR(cuts.score(0, feature, left.values, total.values), wanted,
                  1e-4 * (1 + std::abs(wanted)));
    }
  }
}

TEST(MonotoneCuts, BoundWhatComesBelow) {
  const Monotone monotone = some_monotone();
  MonotoneCuts cuts(monotone);
  ASSERT_TRUE(cuts.start(least_squares(0)));
  cuts.resize(3);
  GrownTree tree;
  tree.channels = kChannels;
  tree.nodes.resize(3);
  tree.nodes[0].left = 1;
  tree.nodes[0].right = 2;
  tree.nodes[0].split.feature = 0;
  // Output 1 is -1 left and 3 right: the border is 1.
  const std::int32_t left[] = {10, 100, 0, -100, 0, 0, 0, 0};
  const std::int32_t right[] = {10, 100, 0, 300, 0, 0, 0, 0};
  tree.totals.resize(3 * kChannels);
  for (std::size_t j = 0; j < kChannels; ++j) {
    tree.totals[j] = left[j] + right[j];
    tree.totals[kChannels + j] = left[j];
    tree.totals[2 * kChannels + j] = right[j];
  }
  cuts.pass_on(tree, 0);
  // A part of the left side that wants 5 gets 1: 2 * 1 * 250 - 50 * 1 of 50 * 25.
  const std::int32_t part[] = {5, 50, 0, 250, 0, 0, 0, 0};
  EXPECT_FLOAT_EQ(cuts.score(1, part), 450);
  EXPECT_FLOAT_EQ(cuts.score(2, part), 1250);
}

TEST(MonotoneCuts, NeedTheOutputsThemselves) {
  const Monotone monotone = some_monotone();
  MonotoneCuts cuts(monotone);
  CriterionSpec sketch = least_squares(0);
  sketch.pulls = 2;
  EXPECT_FALSE(cuts.start(sketch));
  CriterionSpec votes = least_squares(0);
  votes.kind = CriterionKind::kVote;
  EXPECT_FALSE(cuts.start(votes));
}

}  // namespace
}  // namespace simplexboost
