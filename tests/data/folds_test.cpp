#include "data/rows/folds.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/message_of.h"
#include "data/class_labels.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using testing::labels_of;

RC_GTEST_PROP(Folds, AreOfOneSizeAndHoldEachClassInItsShare, ()) {
  const int folds = *rc::gen::inRange(2, 8);
  const auto rows = static_cast<std::size_t>(*rc::gen::inRange(8, 200));
  const auto codes = *rc::gen::container<std::vector<std::int32_t>>(rows, rc::gen::inRange(0, 5));
  const auto fold_of_row = make_folds(labels_of(codes, 5), rows, {folds, 3, true, {}});
  std::vector<std::size_t> sizes(static_cast<std::size_t>(folds));
  std::map<std::pair<int, int>, int> cells;
  std::map<int, int> classes;
  for (std::size_t i = 0; i < rows; ++i) {
    ++sizes.at(fold_of_row[i]);
    ++cells[{codes[i], fold_of_row[i]}];
    ++classes[codes[i]];
  }
  RC_ASSERT(*std::max_element(sizes.begin(), sizes.end()) <=
            *std::min_element(sizes.begin(), sizes.end()) + 1);
  for (const auto& [code, count] : classes)
    for (int f = 0; f < folds; ++f) {
      const int here = cells[{code, f}];
      RC_ASSERT(here >= count / folds && here <= (count + folds - 1) / folds);
    }
}

RC_GTEST_PROP(Folds, NeverPartAGroupAndLeaveNoFoldEmpty, ()) {
  const int folds = *rc::gen::inRange(2, 6);
  const auto rows = static_cast<std::size_t>(*rc::gen::inRange(20, 150));
  const auto codes = *rc::gen::container<std::vector<std::int32_t>>(rows, rc::gen::inRange(0, 4));
  auto groups = *rc::gen::container<std::vector<std::uint32_t>>(
      rows, rc::gen::map(rc::gen::inRange(0, 30), [](int g) { return static_cast<unsigned>(g); }));
  for (unsigned g = 0; g < 6; ++g) groups[g] = g;  // as many as folds, at least
  const auto fold_of_row = make_folds(labels_of(codes, 4), rows, {folds, 1, true, groups});
  std::map<std::uint32_t, std::set<int>> seen;
  std::set<int> used;
  for (std::size_t i = 0; i < rows; ++i) {
    seen[groups[i]].insert(fold_of_row[i]);
    used.insert(fold_of_row[i]);
  }
  for (const auto& [group, in] : seen) RC_ASSERT(in.size() == 1U);
  RC_ASSERT(used.size() == static_cast<std::size_t>(folds));
}

TEST(Folds, OfSmallGroupsSpreadTheClasses) {
  // 100 groups of 3 rows, a class each; 4 classes of 25 groups.
  std::vector<std::int32_t> codes;
  std::vector<std::uint32_t> groups;
  for (unsigned g = 0; g < 100; ++g)
    for (int r = 0; r < 3; ++r) {
      codes.push_back(static_cast<int>(g % 4));
      groups.push_back(g);
    }
  const auto fold_of_row = make_folds(labels_of(codes, 4), 300, {5, 9, true, groups});
  std::map<std::pair<int, int>, int> cells;
  for (std::size_t i = 0; i < 300; ++i) ++cells[{codes[i], fold_of_row[i]}];
  for (const auto& [cell, count] : cells) EXPECT_EQ(count, 15);
}

TEST(Folds, SpreadSetsOfLabelsByTheRarest) {
  Labels labels = labels_of({}, 2);  // label 0 everywhere, label 1 in every fourth row
  labels.offsets = {0};
  for (int i = 0; i < 40; ++i) {
    labels.codes.push_back(0);
    if (i % 4 == 0) labels.codes.push_back(1);
    labels.offsets.push_back(labels.codes.size());
  }
  const auto fold_of_row = make_folds(labels, 40, {5, 0, true, {}});
  std::map<int, int> rare;
  for (std::size_t i = 0; i < 40; i += 4) ++rare[fold_of_row[i]];
  for (int f = 0; f < 5; ++f) EXPECT_EQ(rare[f], 2);
}

TEST(Folds, ASeedNamesThem) {
  const Labels labels = labels_of(std::vector<std::int32_t>(60, 0), 1);
  EXPECT_EQ(make_folds(labels, 60, {5, 1, true, {}}), make_folds(labels, 60, {5, 1, true, {}}));
  EXPECT_NE(make_folds(labels, 60, {5, 1, true, {}}), make_folds(labels, 60, {5, 2, true, {}}));
}

TEST(Folds, RejectTooFewRowsOrGroups) {
  const Labels labels = labels_of({0, 1, 0}, 2);
  const std::vector<std::uint32_t> groups{0, 0, 0};
  EXPECT_THROW(make_folds(labels, 3, {4, 0, true, {}}), DataError);
  const std::string said = testing::message_of([&] {
    make_folds(labels, 3, {2, 0, true, groups});
  });
  EXPECT_NE(said.find("two or more"), std::string::npos) << said;
  EXPECT_THROW(make_folds(labels, 3, {1, 0, true, {}}), ParameterError);
}

TEST(Folds, HoldOutOneOrTwo) {
  const std::vector<std::uint16_t> folds{0, 1, 2, 3, 0, 1, 2, 3};
  const RowSplit one = hold_out_fold(folds, 1);
  EXPECT_EQ(one.valid, (std::vector<std::uint32_t>{1, 5}));
  EXPECT_EQ(one.train, (std::vector<std::uint32_t>{0, 2, 3, 4, 6, 7}));
  const ThreeWaySplit two = hold_out_two_folds(folds, 4, 3);
  EXPECT_EQ(two.test, (std::vector<std::uint32_t>{3, 7}));
  EXPECT_EQ(two.valid, (std::vector<std::uint32_t>{0, 4}));
  EXPECT_EQ(two.train, (std::vector<std::uint32_t>{1, 2, 5, 6}));
}

TEST(GroupNumbers, AreEqualForEqualValuesAndNeverForMissingOnes) {
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  const auto groups = group_numbers(Column::numeric("a", {2.5, kMissing, 2.5, 1, kMissing, 1}), 6);
  EXPECT_EQ(groups[0], groups[2]);
  EXPECT_EQ(groups[3], groups[5]);
  EXPECT_EQ(std::set<std::uint32_t>(groups.begin(), groups.end()).size(), 4U);
}

}  // namespace
}  // namespace simplexboost
