#include "metric/confusion.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "metric/class_counts.h"

namespace simplexboost {
namespace {

// True classes 0 0 0 1 1 2, predicted 0 0 1 1 1 0.
template <class Counts>
Counts hand_made() {
  Counts counts(4);
  counts.add(0, 0);
  counts.add(0, 0);
  counts.add(0, 1);
  counts.add(1, 1);
  counts.add(1, 1);
  counts.add(2, 0);
  return counts;
}

TEST(Confusion, CountsByHand) {
  EXPECT_EQ(
      hand_made<Confusion>().table(),
      (std::vector<std::vector<double>>{{2, 1, 0, 0}, {0, 2, 0, 0}, {1, 0, 0, 0}, {0, 0, 0, 0}}));
}

TEST(Confusion, AnUnknownClassIsInNoCell) {
  Confusion confusion(2);
  confusion.add(0, 0);
  confusion.add(-1, 1);
  EXPECT_EQ(confusion.cells(), (std::vector<ConfusionCell>{{0, 0, 1}}));
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

TEST(ClassCounts, ByHand) {
  const auto counts = hand_made<ClassCounts>();
  EXPECT_DOUBLE_EQ(counts.total(), 6);
  EXPECT_DOUBLE_EQ(counts.error(), 2.0 / 6);
  // Class errors 1/3, 0 and 1; class 3 does not occur.
  EXPECT_DOUBLE_EQ(counts.balanced_error(), (1.0 / 3 + 0 + 1) / 3);
  // By chance: 3/6 * 3/6 + 2/6 * 3/6.
  EXPECT_DOUBLE_EQ(counts.kappa(), (4.0 / 6 - 15.0 / 36) / (1 - 15.0 / 36));
  EXPECT_DOUBLE_EQ(counts.macro_f1(), (4.0 / 6 + 4.0 / 5 + 0) / 3);
  EXPECT_DOUBLE_EQ(counts.micro_f1(), 4.0 / 6);
}

TEST(ClassCounts, SummariseEveryClass) {
  const auto counts = hand_made<ClassCounts>();
  const ClassSummary& first = counts.per_class()[0];
  EXPECT_DOUBLE_EQ(first.recall(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(first.precision(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(first.f1(), 2.0 / 3);
  EXPECT_TRUE(std::isnan(counts.per_class()[3].recall()));
  EXPECT_TRUE(std::isnan(counts.per_class()[2].precision()));
}

TEST(ClassCounts, AnUnknownClassIsAnError) {
  ClassCounts counts(2);
  counts.add(0, 0);
  counts.add(-1, 1);
  EXPECT_DOUBLE_EQ(counts.error(), 0.5);
  EXPECT_DOUBLE_EQ(counts.unknown(), 1);
}

TEST(ClassCounts, WeightsCount) {
  ClassCounts counts(2);
  counts.add(0, 0, 3);
  counts.add(1, 0, 1);
  EXPECT_DOUBLE_EQ(counts.error(), 0.25);
  EXPECT_DOUBLE_EQ(counts.balanced_error(), 0.5);
}

TEST(ClassCounts, NoRowsHaveNoFigures) {
  const ClassCounts counts(3);
  for (const double figure : {counts.error(), counts.balanced_error(), counts.kappa(),
                              counts.micro_f1(), counts.macro_f1(), counts.pair_error()})
    EXPECT_TRUE(std::isnan(figure));
}

void add_set(ClassCounts& counts, const std::vector<std::int32_t>& truth,
             const std::vector<float>& scores, double weight = 1) {
  counts.add_set(truth, scores, weight);
}

TEST(ClassCounts, OfSetsByHand) {
  ClassCounts counts(3);
  add_set(counts, {0, 2}, {1, -1, 1});        // right
  add_set(counts, {1}, {1, 1, -1});           // one too many
  add_set(counts, {}, {-1, -1, -1});          // right: none at all
  add_set(counts, {0, 1, 2}, {1, -1, 0}, 2);  // two too few; a score of 0 is no
  EXPECT_DOUBLE_EQ(counts.total(), 5);
  EXPECT_DOUBLE_EQ(counts.pair_error(), (1 + 2 * 2) / 15.0);
  EXPECT_DOUBLE_EQ(counts.error(), 3 / 5.0);
  EXPECT_DOUBLE_EQ(counts.pair_error(0), 1 / 5.0);
  EXPECT_DOUBLE_EQ(counts.per_class()[0].precision(), 3 / 4.0);
  EXPECT_DOUBLE_EQ(counts.per_class()[0].recall(), 1);
  EXPECT_DOUBLE_EQ(counts.per_class()[2].f1(), 2 * 1 / (3.0 + 1));
  EXPECT_DOUBLE_EQ(counts.micro_f1(), 2 * 5 / (9.0 + 6));
  EXPECT_DOUBLE_EQ(counts.macro_f1(), (6 / 7.0 + 2 / 4.0 + 2 / 4.0) / 3);
}

TEST(ClassCounts, ALabelThatNeverOccursIsNotInTheMacroF1) {
  ClassCounts counts(2);
  add_set(counts, {0}, {1, -1});
  EXPECT_DOUBLE_EQ(counts.macro_f1(), 1);
  EXPECT_TRUE(std::isnan(counts.per_class()[1].f1()));
}

RC_GTEST_PROP(ClassCounts, SumsAgreeWithTheRowsAndWithMergedParts, ()) {
  const auto pairs = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(-1, 5), rc::gen::inRange(0, 5))));
  ClassCounts counts(5);
  ClassCounts first(5);
  ClassCounts second(5);
  Confusion confusion(5);
  double wrong = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& [truth, predicted] = pairs[i];
    counts.add(truth, predicted);
    (i % 2 == 0 ? first : second).add(truth, predicted);
    confusion.add(truth, predicted);
    wrong += truth == predicted ? 0 : 1;
  }
  const auto rows = static_cast<double>(pairs.size());
  RC_ASSERT(std::abs(counts.error() - wrong / rows) < 1e-12);
  double in_cells = 0;
  for (const ConfusionCell& cell : confusion.cells()) in_cells += cell.weight;
  RC_ASSERT(in_cells + counts.unknown() == rows);
  double predicted = 0;
  for (const ClassSummary& one : counts.per_class()) predicted += one.predicted;
  RC_ASSERT(predicted == rows);
  first.merge(second);
  RC_ASSERT(first.error() == counts.error());
  RC_ASSERT(first.per_class()[2].predicted == counts.per_class()[2].predicted);
}

}  // namespace
}  // namespace simplexboost
