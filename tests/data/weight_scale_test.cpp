// The scale of weights.
#include "data/weight_scale.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/message_of.h"

namespace simplexboost {
namespace {

using Weights = std::vector<double>;

Weights scaled(Weights weights) {
  scale_weights(weights, RowSpace(weights.size(), 1));
  return weights;
}

std::optional<std::size_t> tiny_of(const Weights& weights) {
  return find_tiny_weight(weights, RowSpace(weights.size(), 1));
}

TEST(WeightScale, OfAnOrdinaryMeanStayAsTheyAre) {
  for (const Weights& weights : {Weights{0.25, 3.1, 1.7, 0, 1.3}, Weights{0.2, 0.31, 0.4},
                                 Weights{15.1, 14.2, 0, 0.3}, Weights{1, 2, 0, 16}})
    EXPECT_EQ(scaled(weights), weights);
}

TEST(WeightScale, ThatAreMultiplesOfTheSmallestBecomeWholeInAnyUnit) {
  for (const double unit : {0.1, 3.0, 1e-320, 1e308 / 16, 0x1p-1074})
    EXPECT_EQ(scaled({2 * unit, unit, 0, 16 * unit}), (Weights{2, 1, 0, 16})) << unit;
  EXPECT_EQ(scaled({1e39, 1e39}), (Weights{1, 1}));
}

TEST(WeightScale, InOtherUnitsHaveAMeanFromOneToTwo) {
  const Weights weights{0.25, 3.1, 1.7, 0, 1.3};
  for (const double unit : {0x1p-990, 0x1p-3, 0x1p4, 0x1p1000}) {
    Weights other = weights;
    for (double& weight : other) weight *= unit;
    EXPECT_EQ(scaled(other), weights) << unit;
  }
  EXPECT_EQ(scaled({1, 35}), (Weights{0.0625, 2.1875}));
}

TEST(WeightScale, TooSmallBesideTheOthersAreFound) {
  EXPECT_EQ(tiny_of({1e-30, 1, 0, 1}), std::nullopt);
  EXPECT_EQ(tiny_of({1, 0, 1e-31, 1}), 2U);
  EXPECT_EQ(tiny_of({1e300, 1e-300}), 1U);
  EXPECT_EQ(tiny_of({1e-40, 1e-40}), std::nullopt);
  EXPECT_EQ(tiny_of({}), std::nullopt);
  EXPECT_EQ(tiny_of({0, 0}), std::nullopt);
  EXPECT_EQ(describe_tiny_weight(1e-31),
            "the weight 1e-31 is less than 8e-31 of the mean weight; give 0 or more than that");
}

TEST(WeightScale, ThatSumsCannotHoldAreShifted) {
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(summable_weights({most, most / 4}, RowSpace(2, 1)),
            (Weights{2 - 0x1p-52, 0.5 - 0x1p-54}));
  EXPECT_EQ(summable_weights({1e8, 7}, RowSpace(2, 1)), (Weights{1e8, 7}));
}

TEST(WeightScale, OfLabelsAreScaledByAPowerOfTwo) {
  Labels labels;
  labels.classes = {"a", "b"};
  labels.weights = {0, 1, 1, 0};
  scale_label_weights("s", labels, RowSpace(2, 1));
  EXPECT_EQ(labels.weights, (std::vector<float>{0, 1, 1, 0}));
  labels.weights = {0x1p127F, 0, 0x1.8p127F, 0x1p126F};
  scale_label_weights("s", labels, RowSpace(2, 1));
  EXPECT_EQ(labels.weights, (std::vector<float>{1, 0, 1.5F, 0.5F}));
  labels.weights = {1, 1, 1, 1e-38F};
  EXPECT_NE(testing::message_of([&] {
              scale_label_weights("s", labels, RowSpace(2, 1));
            }).find("s: row 2, label 'b': the weight"),
            std::string::npos);
}

}  // namespace
}  // namespace simplexboost
