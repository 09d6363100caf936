#include "data/labels/label_noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "simplexboost/dataset.h"

namespace simplexboost {
namespace {

Labels constant_labels(std::size_t rows, std::size_t classes) {
  Labels labels;
  labels.codes.assign(rows, 1);
  labels.classes.assign(classes, "a");
  return labels;
}

TEST(LabelNoise, FlipsTheShareItIsToldToAllOtherClassesAlike) {
  Labels labels = constant_labels(30'000, 4);
  flip_labels(labels, 0.3, 5);
  for (const int k : {0, 2, 3}) {
    const auto count = std::count(labels.codes.begin(), labels.codes.end(), k);
    EXPECT_NEAR(static_cast<double>(count), 3000, 5 * std::sqrt(3000.0));
  }
}

TEST(LabelNoise, NoneLeavesEverythingAndAllLeavesNothing) {
  Labels labels = constant_labels(100, 3);
  flip_labels(labels, 0, 1);
  EXPECT_EQ(std::count(labels.codes.begin(), labels.codes.end(), 1), 100);
  flip_labels(labels, 1, 1);
  EXPECT_EQ(std::count(labels.codes.begin(), labels.codes.end(), 1), 0);
}

TEST(LabelNoise, TurnsSetsIntoTheirComplementWhereEveryLabelFlips) {
  Labels labels;
  labels.classes = {"a", "b", "c"};
  labels.codes = {0, 2, 1};
  labels.offsets = {0, 2, 2, 3};
  flip_labels(labels, 1, 7);
  EXPECT_EQ(labels.codes, (std::vector<std::int32_t>{1, 0, 1, 2, 0, 2}));
  EXPECT_EQ(labels.offsets, (std::vector<std::size_t>{0, 1, 4, 6}));
}

}  // namespace
}  // namespace simplexboost
