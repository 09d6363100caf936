#include "metric/confusion.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>

namespace simplexboost {
namespace {

// True classes 0 0 0 1 1 2, predicted 0 0 1 1 1 0.
Confusion hand_made() {
  Confusion confusion(4);
  confusion.add(0, 0);
  confusion.add(0, 0);
  confusion.add(0, 1);
  confusion.add(1, 1);
  confusion.add(1, 1);
  confusion.add(2, 0);
  return confusion;
}

TEST(Confusion, CountsByHand) {
  const Confusion confusion = hand_made();
  EXPECT_DOUBLE_EQ(confusion.total(), 6);
  EXPECT_DOUBLE_EQ(confusion.error(), 2.0 / 6);
  EXPECT_EQ(confusion.table(), (std::vector<std::vector<double>>{
                                   {2, 1, 0, 0}, {0, 2, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}}));
}

TEST(Confusion, BalancedErrorIsTheMeanOverClassesThatOccur) {
  // Class errors 1/3, 0 and 1; class 3 does not occur.
  EXPECT_DOUBLE_EQ(hand_made().balanced_error(), (1.0 / 3 + 0 + 1) / 3);
}

TEST(Confusion, SummarisesEveryClass) {
  const Confusion confusion = hand_made();
  const ClassSummary& first = confusion.per_class()[0];
  EXPECT_DOUBLE_EQ(first.recall(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(first.precision(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(first.f1(), 2.0 / 3);
  EXPECT_TRUE(std::isnan(confusion.per_class()[3].recall()));
  EXPECT_TRUE(std::isnan(confusion.per_class()[2].precision()));
}

TEST(Confusion, AnUnknownClassIsAnErrorInNoCell) {
  Confusion confusion(2);
  confusion.add(0, 0);
  confusion.add(-1, 1);
  EXPECT_DOUBLE_EQ(confusion.error(), 0.5);
  EXPECT_DOUBLE_EQ(confusion.unknown(), 1);
  EXPECT_EQ(confusion.cells(), (std::vector<ConfusionCell>{{0, 0, 1}}));
}

TEST(Confusion, WeightsCount) {
  Confusion confusion(2);
  confusion.add(0, 0, 3);
  confusion.add(1, 0, 1);
  EXPECT_DOUBLE_EQ(confusion.error(), 0.25);
  EXPECT_DOUBLE_EQ(confusion.balanced_error(), 0.5);
}

TEST(Confusion, NoRowsHaveNoError) {
  EXPECT_TRUE(std::isnan(Confusion(3).error()));
  EXPECT_TRUE(std::isnan(Confusion(3).balanced_error()));
}

TEST(Confusion, LargestConfusionsComeHeaviestFirst) {
  Confusion confusion(3);
  confusion.add(0, 1, 2);
  confusion.add(1, 2, 5);
  confusion.add(2, 2, 9);
  confusion.add(2, 0, 2);
  EXPECT_EQ(confusion.largest_confusions(2), (std::vector<ConfusionCell>{{1, 2, 5}, {0, 1, 2}}));
  EXPECT_EQ(confusion.largest_confusions(10).size(), 3U);
}

TEST(Confusion, ManyClassesTakeLittleMemory) {
  Confusion confusion(1'000'000);
  for (std::int32_t k = 0; k < 1000; ++k) confusion.add(k * 1000, k * 999);
  EXPECT_EQ(confusion.cells().size(), 1000U);
}

RC_GTEST_PROP(Confusion, SumsAgreeWithTheRows, ()) {
  const auto pairs = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(-1, 5), rc::gen::inRange(0, 5))));
  Confusion confusion(5);
  double wrong = 0;
  for (const auto& [truth, predicted] : pairs) {
    confusion.add(truth, predicted);
    wrong += truth == predicted ? 0 : 1;
  }
  const auto rows = static_cast<double>(pairs.size());
  RC_ASSERT(std::abs(confusion.error() - wrong / rows) < 1e-12);
  double in_cells = 0;
  for (const ConfusionCell& cell : confusion.cells()) in_cells += cell.weight;
  RC_ASSERT(in_cells + confusion.unknown() == rows);
  double predicted = 0;
  for (const ClassSummary& one : confusion.per_class()) predicted += one.predicted;
  RC_ASSERT(predicted == rows);
}

}  // namespace
}  // namespace simplexboost
