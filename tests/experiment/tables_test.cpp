#include "experiment/tables.h"

#include <gtest/gtest.h>

#include <limits>

namespace simplexboost {
namespace {

class TablesTest : public ::testing::Test {
 protected:
  TablesTest() {
    spec_.measures = {"train_error", "bound_24"};
    spec_.data.resize(2);
    spec_.data[0].name = "one";
    spec_.data[1].name = "two";
    spec_.algorithms.resize(2);
    spec_.algorithms[0].name = "A";
    spec_.algorithms[1].name = "B";
    data_.resize(2);
    for (std::size_t d = 0; d < 2; ++d) {
      data_[d].spec = &spec_.data[d];
      for (const ExperimentAlgorithm& algorithm : spec_.algorithms) {
        ExperimentRow row;
        row.data = &data_[d];
        row.algorithm = &algorithm;
        row.splits = {{"test", 0, -1}};
        row.results.resize(1);
        row.results[0].rows = 100;
        row.results[0].wrong = algorithm.name == "A" ? 10 : 20;
        row.results[0].measures["train_error"] = d == 0 ? 5 : 7;
        rows_.push_back(row);
      }
    }
    rows_[0].results[0].measures["bound_24"] = 50;
  }

  ExperimentSpec spec_;
  std::vector<LoadedData> data_;
  std::vector<ExperimentRow> rows_;
};

TEST_F(TablesTest, CountsWinsDrawsAndLosses) {
  const PairwiseTable table{
      "Table 4", "A", "B", {"error", "train_error"}, {}, {{"one", "+-"}, {"two", "-o"}}};
  const std::string text = pairwise_table(table, rows_);
  EXPECT_NE(text.find("| one | + (+) | o (-) |\n| two | + (-) | o (o) |"), std::string::npos)
      << text;
  EXPECT_NE(text.find("| total | 2-0-0 (1-0-1) | 0-2-0 (0-1-1) |"), std::string::npos) << text;
}

TEST_F(TablesTest, ShowsOnlyTheDataSetsOfThePairwiseTable) {
  const std::string text = pairwise_table({"T", "A", "B", {"error"}, {"two"}, {}}, rows_);
  EXPECT_EQ(text.find("| one |"), std::string::npos);
  EXPECT_NE(text.find("| total | 1-0-0 |"), std::string::npos) << text;
}

TEST(SignTest, ComparesWhatAPaperWouldPrint) {
  EXPECT_EQ(sign_of(1, 2), '+');
  EXPECT_EQ(sign_of(2, 1), '-');
  EXPECT_EQ(sign_of(1.001, 1.002), 'o');
  EXPECT_EQ(sign_of(1, std::numeric_limits<double>::quiet_NaN()), '?');
}

TEST_F(TablesTest, PutsThePapersMeasuresInBracketsAndLeavesOutEmptyColumns) {
  spec_.measured[{"A", "one", "bound_24"}] = 47.5;
  const std::string text = measure_table(spec_, rows_);
  EXPECT_NE(text.find("| data set | A train_error | A bound_24 | B train_error |"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| one | 5.00 | 50.00 (47.5) | 5.00 |"), std::string::npos) << text;
}

TEST_F(TablesTest, SaysWhereBoundsDidNotHold) {
  EXPECT_EQ(bounds_list(rows_), "");
  spec_.algorithms[0].bounds = {{"bound_24", "train_error"}};
  rows_[0].results[0].bound_checks = 30;
  EXPECT_NE(bounds_list(rows_).find("30 comparisons"), std::string::npos);
  EXPECT_NE(bounds_list(rows_).find("held in all"), std::string::npos);
  rows_[2].results[0].bound_checks = 10;
  rows_[2].results[0].bounds_broken = 2;
  EXPECT_NE(bounds_list(rows_).find("DID NOT HOLD in 2"), std::string::npos);
}

TEST_F(TablesTest, TellsWhatValidationChose) {
  EXPECT_EQ(choices_list(rows_), "");
  rows_[1].results[0].chosen = "leaves = 21, 80 rounds";
  EXPECT_NE(choices_list(rows_).find("- one, B: leaves = 21, 80 rounds"), std::string::npos);
}

}  // namespace
}  // namespace simplexboost
