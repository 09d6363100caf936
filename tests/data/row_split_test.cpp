#include "data/rows/row_split.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "data/class_labels.h"

namespace simplexboost {
namespace {

using testing::labels_of;

TEST(StratifiedSplit, KeepsTheSharesOfTheClasses) {
  std::vector<std::int32_t> codes(1000, 0);
  std::fill(codes.begin() + 900, codes.end(), 1);
  const RowSplit split = stratified_split(labels_of(codes, 2), 1000, 0.2, 7);
  EXPECT_EQ(split.valid.size(), 200U);
  EXPECT_EQ(std::count_if(split.valid.begin(), split.valid.end(), [](auto r) { return r >= 900; }),
            20);
}

TEST(StratifiedSplit, ManySmallClassesStillGiveTheirPart) {
  std::vector<std::int32_t> codes(200);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::int32_t>(i / 2);
  EXPECT_EQ(stratified_split(labels_of(codes, 100), 200, 0.2, 1).valid.size(), 40U);
}

TEST(StratifiedSplit, ASeedNamesTheSplit) {
  const Labels labels = labels_of(std::vector<std::int32_t>(100, 0), 1);
  EXPECT_EQ(stratified_split(labels, 100, 0.3, 5).valid,
            stratified_split(labels, 100, 0.3, 5).valid);
  EXPECT_NE(stratified_split(labels, 100, 0.3, 5).valid,
            stratified_split(labels, 100, 0.3, 6).valid);
}

RC_GTEST_PROP(StratifiedSplit, EveryRowIsInOnePartAndEveryClassCanBeLearnt, ()) {
  const auto codes =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int32_t>>(rc::gen::inRange(0, 6)));
  const double fraction = *rc::gen::inRange(0, 101) / 100.0;
  const RowSplit split = stratified_split(labels_of(codes, 6), codes.size(), fraction, 3);
  std::vector<std::uint32_t> all = split.train;
  all.insert(all.end(), split.valid.begin(), split.valid.end());
  std::sort(all.begin(), all.end());
  std::vector<std::uint32_t> expected(codes.size());
  std::iota(expected.begin(), expected.end(), 0U);
  RC_ASSERT(all == expected);
  RC_ASSERT(std::is_sorted(split.train.begin(), split.train.end()));
  for (const std::int32_t code : codes) {
    RC_ASSERT(std::any_of(split.train.begin(), split.train.end(),
                          [&](std::uint32_t row) { return codes[row] == code; }));
  }
}

TEST(SliceFeatures, AgreesWithTheWholeForDenseAndSparseColumns) {
  Dataset data;
  data.rows = 6;
  data.columns.push_back(Column::numeric("a", {0, 1, 2, 3, 4, 5}));
  data.columns.push_back(Column::sparse_numeric("b", {1, 3, 5}, {10, 30, 50}));
  data.columns.push_back(Column::categorical("c", {0, 1, -1, 1, 0, 1}, {"x", "y"}));
  const Dataset slice = slice_features(data, 2, 5);
  ASSERT_EQ(slice.rows, 3U);
  for (std::size_t j = 0; j < data.columns.size(); ++j) {
    std::vector<double> whole(3);
    std::vector<double> part(3);
    data.columns[j].copy(2, 5, whole.data());
    slice.columns[j].copy(0, 3, part.data());
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(whole[i] == part[i] || (whole[i] != whole[i] && part[i] != part[i]));
    }
  }
}

}  // namespace
}  // namespace simplexboost
