#include "experiment/run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "experiment/figures.h"
#include "experiment/report.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

GeneratorSpec gaussian(std::size_t rows, std::uint64_t seed) {
  GeneratorSpec spec;
  spec.name = "gaussian3";
  spec.rows = rows;
  spec.seed = seed;
  return spec;
}

ExperimentSpec small_spec() {
  ExperimentSpec spec;
  spec.name = "small";
  spec.title = "Small";
  spec.paper = "A paper";
  spec.protocol.seeds = {0, 1, 2};
  ExperimentData own{"own-test", "", 100, gaussian(200, 1), gaussian(100, 2)};
  ExperimentData split{"split", "", 0, gaussian(200, 3), std::nullopt};
  ExperimentData absent{"absent", "", 0, std::nullopt, std::nullopt};
  spec.data = {own, split, absent};
  ExperimentAlgorithm algorithm;
  algorithm.name = "CD";
  algorithm.parameters.algorithm = "cd-mcboost";
  algorithm.parameters.rounds = 10;
  algorithm.quick_rounds = 4;
  spec.algorithms = {algorithm};
  spec.figures[{"CD", "own-test"}] = {87, std::nullopt};
  return spec;
}

// Counts the rounds that were trained, and may stop at one.
class Counter : public Progress {
 public:
  explicit Counter(std::size_t stop = SIZE_MAX) : stop_(stop) {}
  bool round(std::size_t round, std::span<const RoundMetric>) override {
    ++rounds;
    last = round;
    return rounds < stop_;
  }
  std::size_t rounds = 0;
  std::size_t last = 0;

 private:
  std::size_t stop_;
};

class RunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "run_" + std::to_string(::getpid()) + ".jsonl";
    data_ = load_experiment_data(spec_, "", 1);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  ExperimentSpec spec_ = small_spec();
  DataSearch data_;
  std::string path_;
};

TEST_F(RunTest, NamesAndSkipsDataThatIsNotThere) {
  ASSERT_EQ(data_.missing.size(), 1U);
  EXPECT_EQ(data_.missing[0].rfind("absent: skipped", 0), 0U);
  EXPECT_EQ(data_.found.size(), 2U);
}

TEST_F(RunTest, RunsEverySplitOfDataWithoutTestRows) {
  auto rows = plan_experiment(spec_, data_, {false, 1});
  Journal journal(path_);
  Counter counter;
  EXPECT_EQ(rounds_to_run(rows, spec_, journal), 40U);
  EXPECT_TRUE(run_experiment(rows, spec_, journal, {&counter, {}}));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].results.size(), 1U);
  EXPECT_EQ(rows[0].results[0].rows, 100U);
  EXPECT_EQ(rows[1].results.size(), 3U);
  EXPECT_EQ(rows[1].results[0].rows, 40U);
  EXPECT_EQ(counter.rounds, 40U);
  EXPECT_EQ(counter.last, 39U);
  EXPECT_TRUE(compare(spec_, rows[1]).spread.has_value());
}

TEST_F(RunTest, GoesOnAfterAnInterruptionAndRunsNothingTwice) {
  {
    auto rows = plan_experiment(spec_, data_, {false, 1});
    Journal journal(path_);
    Counter counter(15);
    EXPECT_FALSE(run_experiment(rows, spec_, journal, {&counter, {}}));
    EXPECT_TRUE(rows[0].finished());
    EXPECT_FALSE(rows[1].finished());
    EXPECT_NE(report_markdown(spec_, rows, {}, {}).find("Interrupted: 1 rows"), std::string::npos);
  }
  for (const std::size_t expected : {30U, 0U}) {
    auto rows = plan_experiment(spec_, data_, {false, 1});
    Journal journal(path_);
    Counter counter;
    EXPECT_EQ(rounds_to_run(rows, spec_, journal), expected);
    EXPECT_TRUE(run_experiment(rows, spec_, journal, {&counter, {}}));
    EXPECT_EQ(counter.rounds, expected);
    EXPECT_TRUE(rows[1].finished());
  }
}

TEST_F(RunTest, ShowsAfterAnInterruptionWhatTheJournalHasOfLaterRows) {
  Journal journal(path_);
  auto late = plan_experiment(spec_, data_, {false, 1});
  late.erase(late.begin());
  ASSERT_TRUE(run_experiment(late, spec_, journal, {}));
  auto rows = plan_experiment(spec_, data_, {false, 1});
  Counter counter(1);
  EXPECT_FALSE(run_experiment(rows, spec_, journal, {&counter, {}}));
  EXPECT_FALSE(rows[0].finished());
  EXPECT_TRUE(rows[1].finished());
}

TEST_F(RunTest, QuickTakesFewerRoundsAndTheFirstSplit) {
  const auto rows = plan_experiment(spec_, data_, {true, 1});
  EXPECT_EQ(rows[1].splits.size(), 1U);
  EXPECT_EQ(rows[1].parameters.rounds, 4);
}

TEST_F(RunTest, RoundsPerClassAndAllDimensionsFollowTheClasses) {
  spec_.algorithms[0].rounds_per_class = 20;
  spec_.algorithms[0].all_dimensions = true;
  const auto rows = plan_experiment(spec_, data_, {false, 1});
  ASSERT_EQ(rows.size(), 2U);  // three classes: dimension 2 only
  EXPECT_EQ(rows[0].parameters.rounds, 60);
  EXPECT_EQ(rows[0].parameters.dimension, 2);
}

TEST_F(RunTest, FoldsHoldEachRowOutOnce) {
  spec_.protocol.folds = 5;
  const auto splits = experiment_splits(data_.found[1], spec_.protocol, false);
  ASSERT_EQ(splits.size(), 15U);
  std::size_t held_out = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    const TrainTest parts = split_data(data_.found[1], spec_.protocol, splits[i]);
    EXPECT_EQ(parts.train.rows + parts.test.rows, 200U);
    held_out += parts.test.rows;
  }
  EXPECT_EQ(held_out, 200U);
}

TEST_F(RunTest, DrawsStagesAsTableHistogramAndScatter) {
  spec_.stages = {0, 10};
  const auto rows = plan_experiment(spec_, data_, {false, 1});
  const std::vector<NamedText> files = stage_figures(spec_, rows[0]);
  ASSERT_EQ(files.size(), 5U);
  EXPECT_EQ(files[0].name, "small-stages.csv");
  EXPECT_EQ(std::count(files[0].text.begin(), files[0].text.end(), '\n'), 201);
  EXPECT_EQ(files[4].name, "small-predictions-10.svg");
}

TEST(CompareTest, MeasuresTheDifferenceInErrorBars) {
  EXPECT_NEAR(binomial_bar(90, 100), 3, 1e-12);
  EXPECT_GT(binomial_bar(100, 100), 0);
  ExperimentSpec spec = small_spec();
  LoadedData data;
  data.spec = &spec.data[0];
  ExperimentRow row;
  row.data = &data;
  row.algorithm = &spec.algorithms[0];
  row.splits = {{"test", 0, -1}};
  row.results = {{20, 100, 10, 1, ""}};
  const Comparison comparison = compare(spec, row);
  EXPECT_NEAR(comparison.ours, 80, 1e-12);
  EXPECT_NEAR(comparison.bars_off, -7 / std::sqrt(87 * 13 / 100.0), 1e-9);
  EXPECT_TRUE(comparison.outside());
  spec.figures[{"CD", "own-test"}].bar = 10;
  EXPECT_FALSE(compare(spec, row).outside());
}

}  // namespace
}  // namespace simplexboost
