#include "experiment/journal.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace simplexboost {
namespace {

class JournalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "journal_" + std::to_string(::getpid()) + ".jsonl";
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::string path_;
};

TEST_F(JournalTest, FindsAfterReopeningWhatWasAdded) {
  Journal(path_).add("a", {3, 10, 50, 1.25, "all \"50\" rounds done"});
  const Journal again(path_);
  const CellResult* cell = again.find("a");
  ASSERT_NE(cell, nullptr);
  EXPECT_EQ(cell->wrong, 3U);
  EXPECT_EQ(cell->rows, 10U);
  EXPECT_EQ(cell->rounds, 50U);
  EXPECT_EQ(cell->seconds, 1.25);
  EXPECT_EQ(cell->stop_reason, "all \"50\" rounds done");
  EXPECT_EQ(again.find("b"), nullptr);
}

TEST_F(JournalTest, KnowsWhichProgramMadeACell) {
  Journal(path_, "simplexboost 1, commit a").add("first", {1, 2, 3, 4, ""});
  Journal(path_, "simplexboost 2, commit b").add("second", {1, 2, 3, 4, ""});
  std::ofstream(path_, std::ios::app)
      << "{\"key\":\"old\",\"wrong\":1,\"rows\":2,\"rounds\":3,\"seconds\":4,"
         "\"stop_reason\":\"\"}\n";
  const Journal again(path_);
  EXPECT_EQ(again.find("first")->program, "simplexboost 1, commit a");
  EXPECT_EQ(again.find("second")->program, "simplexboost 2, commit b");
  EXPECT_EQ(again.find("old")->program, "unknown");
}

TEST_F(JournalTest, KeepsMeasuresBoundsChoicesAndCurves) {
  CellResult cell{1, 2, 3, 4, ""};
  cell.train_rows = 77;
  cell.chosen = "leaves = 3";
  cell.measures = {{"train_error", 1.5}};
  cell.bound_checks = 9;
  cell.bounds_broken = 1;
  cell.curve_rounds = {1, 5};
  cell.curves = {{"train_error", {50, 2.5}}};
  Journal(path_).add("a", cell);
  const Journal again(path_);
  const CellResult* found = again.find("a");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->train_rows, 77U);
  EXPECT_EQ(found->chosen, cell.chosen);
  EXPECT_EQ(found->measures, cell.measures);
  EXPECT_EQ(found->bound_checks, 9U);
  EXPECT_EQ(found->bounds_broken, 1U);
  EXPECT_EQ(found->curve_rounds, cell.curve_rounds);
  EXPECT_EQ(found->curves, cell.curves);
}

TEST_F(JournalTest, LeavesOutLinesThatAreNoWholeRecord) {
  Journal(path_).add("good", {1, 2, 3, 4, ""});
  std::ofstream(path_, std::ios::app)
      << "\nnonsense\n[1]\n{\"key\":\"short\"}\n"
         R"({"key":"odd","wrong":-1,"rows":"x","rounds":1,"seconds":1,"stop_reason":""})"
         "\n"
         R"({"key":"more wrong than rows","wrong":9,"rows":2,"rounds":1,"seconds":1,"stop_reason":""})"
         "\n"
         R"({"key":"short curve","wrong":1,"rows":2,"rounds":1,"seconds":1,"stop_reason":"",)"
         R"("curve_rounds":[1,2],"curves":{"a":[1]}})"
         "\n{\"key\":\"torn\",\"wrong\":1,\"ro";
  const Journal journal(path_);
  EXPECT_NE(journal.find("good"), nullptr);
  for (const char* key : {"short", "odd", "more wrong than rows", "short curve", "torn"})
    EXPECT_EQ(journal.find(key), nullptr) << key;
}

TEST_F(JournalTest, TrialLogLeavesOutATornLineAndGoesOnAfterIt) {
  TrialLog(path_).add("a", {0.5, 0.25});
  std::ofstream(path_, std::ios::app) << "\n{\"key\":\"torn\",\"err";
  TrialLog(path_).add("b", {});
  TrialLog log(path_);
  ASSERT_NE(log.find("a"), nullptr);
  EXPECT_EQ(*log.find("a"), (std::vector<double>{0.5, 0.25}));
  EXPECT_NE(log.find("b"), nullptr);
  EXPECT_EQ(log.find("torn"), nullptr);
  log.clear();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace simplexboost
