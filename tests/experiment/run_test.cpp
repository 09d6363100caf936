#include "experiment/run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

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
  ExperimentData own{"own-test", "own-test", "", 100, gaussian(200, 1), gaussian(100, 2)};
  ExperimentData split{"split", "split", "", 0, gaussian(200, 3), std::nullopt};
  ExperimentData absent{"absent", "absent", "", 0, std::nullopt, std::nullopt};
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
  void TearDown() override {
    std::filesystem::remove(path_);
    std::filesystem::remove(path_ + ".trials");
  }

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

TEST_F(RunTest, CellsOfSeveralThreadsGiveTheSameResults) {
  auto one = plan_experiment(spec_, data_, {false, 1});
  auto many = plan_experiment(spec_, data_, {false, 4});
  Counter counter;
  {
    Journal journal(path_);
    ASSERT_TRUE(run_experiment(one, spec_, journal, {&counter, {}}));
  }
  std::filesystem::remove(path_);
  Journal journal(path_);
  std::size_t told = 0;
  ASSERT_TRUE(
      run_experiment(many, spec_, journal, {&counter, [&](const ExperimentRow&) { ++told; }}));
  EXPECT_EQ(told, many.size());
  EXPECT_EQ(counter.rounds, 80U);
  for (std::size_t r = 0; r < one.size(); ++r) {
    ASSERT_EQ(one[r].results.size(), many[r].results.size());
    for (std::size_t i = 0; i < one[r].results.size(); ++i)
      EXPECT_EQ(one[r].results[i].wrong, many[r].results[i].wrong);
  }
}

TEST_F(RunTest, TheReportNamesTheOtherProgramsThatMadeCells) {
  const auto report = [&](const std::string& program) {
    auto rows = plan_experiment(spec_, data_, {false, 1});
    Journal journal(path_, program);
    Counter counter;
    EXPECT_TRUE(run_experiment(rows, spec_, journal, {&counter, {}}));
    return report_markdown(spec_, rows, {}, {"command", "today", program, "machine"});
  };
  for (const char* again : {"the first", "from its journal"}) {
    SCOPED_TRACE(again);
    EXPECT_EQ(report("one").find("of another program"), std::string::npos);
  }
  EXPECT_NE(report("two").find("- of another program: 4 of 4 trainings, one\n"), std::string::npos);
}

TEST_F(RunTest, GoesOnAfterAnInterruptionAndRunsNothingTwice) {
  {
    auto rows = plan_experiment(spec_, data_, {false, 1});
    Journal journal(path_);
    Counter counter(15);
    EXPECT_FALSE(run_experiment(rows, spec_, journal, {&counter, {}}));
    EXPECT_TRUE(rows[0].finished());
    EXPECT_FALSE(rows[1].finished());
    EXPECT_NE(report_markdown(spec_, rows, {}, {}).find("Not finished: 1 rows"), std::string::npos);
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
  ASSERT_EQ(rows.size(), 4U);  // three classes: dimensions 2 and, as in Figure 6, 3
  EXPECT_EQ(rows[0].parameters.rounds, 60);
  EXPECT_EQ(rows[0].parameters.dimension, 2);
}

TEST_F(RunTest, FoldsHoldEachRowOutOnce) {
  spec_.protocol.folds = 5;
  const auto splits = experiment_splits(data_.found[1], spec_.protocol, false);
  ASSERT_EQ(splits.size(), 15U);
  std::size_t held_out = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    const SplitData parts = split_data(data_.found[1], spec_.protocol, splits[i]);
    EXPECT_EQ(parts.train.rows + parts.test.rows, 200U);
    held_out += parts.test.rows;
  }
  EXPECT_EQ(held_out, 200U);
}

// Every row of the pooled set in one part each: 3/1/1 of five folds.
TEST_F(RunTest, NextFoldIsForValidation) {
  spec_.protocol.folds = 5;
  spec_.protocol.validation = ValidationRows::kNextFold;
  const auto splits = experiment_splits(data_.found[1], spec_.protocol, false);
  const SplitData parts = split_data(data_.found[1], spec_.protocol, splits[4]);
  ASSERT_EQ(parts.validation.size(), 1U);
  EXPECT_EQ(parts.test.rows, 40U);
  EXPECT_EQ(parts.validation[0].valid.rows, 40U);
  EXPECT_EQ(parts.validation[0].train.rows, 120U);
  const SplitData next = split_data(data_.found[1], spec_.protocol, splits[0]);
  EXPECT_EQ(parts.validation[0].valid.labels.codes, next.test.labels.codes);
}

TEST_F(RunTest, LabelNoiseSparesTheTestRows) {
  const SplitData clean = split_data(data_.found[1], spec_.protocol, {"seed 0", 0, -1});
  spec_.data[1].label_noise = 0.5;
  spec_.protocol.validation = ValidationRows::kFolds;
  const SplitData noisy = split_data(data_.found[1], spec_.protocol, {"seed 0", 0, -1});
  EXPECT_EQ(noisy.test.labels.codes, clean.test.labels.codes);
  EXPECT_NE(noisy.train.labels.codes, clean.train.labels.codes);
  ASSERT_EQ(noisy.validation.size(), 5U);
  EXPECT_EQ(noisy.validation[2].train.rows + noisy.validation[2].valid.rows, noisy.train.rows);
}

TEST_F(RunTest, PoolsTestRowsWithTheOthers) {
  spec_.data[0].pool = true;
  const DataSearch data = load_experiment_data(spec_, "", 1);
  EXPECT_FALSE(data.found[0].test.has_value());
  EXPECT_EQ(data.found[0].train.rows, 300U);
  EXPECT_EQ(data.found[0].train.labels.codes.size(), 300U);
  double last = 0;
  data.found[0].train.columns[0].copy(299, 300, &last);
  double own = 0;
  data_.found[0].test->columns[0].copy(99, 100, &own);
  EXPECT_EQ(last, own);
}

// In training and test rows alike, whatever the order in which names come up.
TEST_F(RunTest, NumbersCategoriesInTheOrderOfTheirNames) {
  namespace fs = std::filesystem;
  const fs::path folder = ::testing::TempDir() + "ordinal_" + std::to_string(::getpid());
  fs::create_directories(folder / "d");
  std::ofstream(folder / "d" / "train.csv") << "file,rank,class\nc,1,x\na,2,y\n,3,x\nb,4,y\n";
  std::ofstream(folder / "d" / "test.csv") << "file,rank,class\nb,1,x\nc,2,y\n";
  spec_.data.resize(1);
  spec_.data[0] = {};
  spec_.data[0].folder = "d";
  spec_.data[0].ordinal = true;
  const DataSearch data = load_experiment_data(spec_, folder.string(), 1);
  fs::remove_all(folder);
  const auto values = [](const Dataset& rows) {
    EXPECT_EQ(rows.columns[0].schema.type, FeatureType::kNumeric);
    std::vector<double> result(rows.rows);
    rows.columns[0].copy(0, rows.rows, result.data());
    return result;
  };
  const std::vector<double> train = values(data.found.at(0).train);
  EXPECT_EQ(train[0], 2);
  EXPECT_EQ(train[1], 0);
  EXPECT_TRUE(std::isnan(train[2]));
  EXPECT_EQ(train[3], 1);
  EXPECT_EQ(values(*data.found[0].test), (std::vector<double>{1, 2}));
}

TEST_F(RunTest, ChoosesOnFoldsAndTrainsAgainOnAllRows) {
  spec_.protocol.validation = ValidationRows::kFolds;
  spec_.protocol.validation_folds = 3;
  spec_.protocol.rounds_rule = RoundsRule::kBest;
  spec_.protocol.retrain = true;
  spec_.algorithms[0].grid = {{"min-rows", {"1", "20"}}};
  auto rows = plan_experiment(spec_, data_, {false, 1});
  Journal journal(path_);
  Counter counter;
  EXPECT_EQ(rounds_to_run(rows, spec_, journal), 4U * 7U * 10U);
  EXPECT_TRUE(run_experiment(rows, spec_, journal, {&counter, {}}));
  EXPECT_GT(counter.rounds, 4U * 6U * 10U);
  EXPECT_LE(counter.rounds, 4U * 7U * 10U);
  const CellResult& cell = rows[0].results[0];
  EXPECT_EQ(cell.chosen.rfind("min-rows = ", 0), 0U) << cell.chosen;
  EXPECT_EQ(cell.train_rows, 200U);
  EXPECT_LE(cell.rounds, 10U);
  // What is chosen is part of a cell's name: another grid is another cell.
  spec_.algorithms[0].grid[0].values = {"1"};
  rows = plan_experiment(spec_, data_, {false, 1});
  EXPECT_GT(rounds_to_run(rows, spec_, journal), 0U);
}

// kdd2014: folds choose n' and keep all rounds; sets with their own test rows have a fixed n'.
TEST_F(RunTest, TakesFoldGridsAndRoundsOfTheAlgorithm) {
  spec_.protocol.validation = ValidationRows::kNextFold;
  spec_.protocol.folds = 3;
  spec_.protocol.seeds = {0};
  spec_.protocol.rounds_rule = RoundsRule::kBest;
  spec_.algorithms[0].fold_grid = {{"min-rows", {"1", "20"}}};
  spec_.algorithms[0].rounds_rule = RoundsRule::kAll;
  spec_.data.resize(1);
  const DataSearch own_test = load_experiment_data(spec_, "", 1);
  auto rows = plan_experiment(spec_, own_test, {false, 1});
  EXPECT_TRUE(rows.at(0).grid.empty());
  EXPECT_EQ(rows.at(0).protocol.validation, ValidationRows::kNone);
  spec_.data[0].pool = true;
  const DataSearch folds = load_experiment_data(spec_, "", 1);
  rows = plan_experiment(spec_, folds, {false, 1});
  EXPECT_EQ(rows.at(0).grid.size(), 1U);
  Journal journal(path_);
  ASSERT_TRUE(run_experiment(rows, spec_, journal, {}));
  for (const CellResult& cell : rows.at(0).results) {
    EXPECT_EQ(cell.rounds, 10U);
    EXPECT_EQ(cell.chosen.rfind("min-rows = ", 0), 0U) << cell.chosen;
  }
}

TEST_F(RunTest, RunsOnlyWhatIsNamed) {
  RunOptions options{false, 1, {spec_.data[0].name}};
  auto rows = plan_experiment(spec_, data_, options);
  Journal journal(path_);
  ASSERT_TRUE(run_experiment(rows, spec_, journal, {}));
  ASSERT_GT(rows.size(), 1U);
  for (const ExperimentRow& row : rows)
    EXPECT_EQ(row.finished(), row.data->spec->name == spec_.data[0].name);
  EXPECT_NE(report_markdown(spec_, rows, {}, {}).find("Not finished: "), std::string::npos);
  options.only = {"no such set"};
  EXPECT_THROW(plan_experiment(spec_, data_, options), ParameterError);
}

// A cell of many trainings does not begin anew: what validation has done is kept.
TEST_F(RunTest, GoesOnWithinACellAfterAnInterruption) {
  for (const bool retrain : {true, false}) {
    spec_.data.resize(1);
    spec_.protocol.validation = ValidationRows::kNextFold;
    spec_.protocol.rounds_rule = RoundsRule::kBest;
    spec_.protocol.retrain = retrain;
    spec_.data[0].test_generator.reset();
    spec_.protocol.folds = 3;
    spec_.protocol.seeds = {0};
    spec_.algorithms[0].grid = {{"min-rows", {"1", "5", "20"}}};
    const DataSearch data = load_experiment_data(spec_, "", 1);
    auto whole = plan_experiment(spec_, data, {true, 1});
    {
      Journal journal(path_ + ".other");
      ASSERT_TRUE(run_experiment(whole, spec_, journal, {}));
      std::filesystem::remove(path_ + ".other");
    }
    Journal journal(path_);
    auto rows = plan_experiment(spec_, data, {true, 1});
    Counter stop(9);  // within the third of three trainings of four rounds
    EXPECT_FALSE(run_experiment(rows, spec_, journal, {&stop, {}}));
    EXPECT_TRUE(std::filesystem::exists(path_ + ".trials"));
    Counter counter;
    rows = plan_experiment(spec_, data, {true, 1});
    EXPECT_TRUE(run_experiment(rows, spec_, journal, {&counter, {}}));
    EXPECT_LE(counter.rounds, 8U);
    EXPECT_FALSE(std::filesystem::exists(path_ + ".trials"));
    EXPECT_EQ(rows[0].results[0].wrong, whole[0].results[0].wrong);
    EXPECT_EQ(rows[0].results[0].chosen, whole[0].results[0].chosen);
    EXPECT_EQ(rows[0].results[0].rounds, whole[0].results[0].rounds);
    std::filesystem::remove(path_);
  }
}

TEST_F(RunTest, FiguresOfTheRoundOfLeastTrainError) {
  spec_.protocol.at_least_train_error = true;
  spec_.measures = {"train_error"};
  spec_.curves = {"train_error", "test_error"};
  auto rows = plan_experiment(spec_, data_, {false, 1});
  Journal journal(path_);
  ASSERT_TRUE(run_experiment(rows, spec_, journal, {}));
  for (const ExperimentRow& row : rows) {
    for (const CellResult& cell : row.results) {
      const auto& curve = cell.curves.at("train_error");
      const auto least = std::min_element(curve.begin(), curve.end());
      EXPECT_EQ(cell.rounds, cell.curve_rounds[static_cast<std::size_t>(least - curve.begin())]);
      EXPECT_EQ(cell.measures.at("train_error"), *least);
      EXPECT_NEAR(cell.curves.at("test_error")[cell.rounds - 1],
                  100 * static_cast<double>(cell.wrong) / static_cast<double>(cell.rows), 1e-9);
    }
  }
  const std::vector<NamedText> files = curve_figures(spec_, rows);
  ASSERT_EQ(files.size(), 4U);
  EXPECT_EQ(files[1].name, "small-own-test-test-error.svg");
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
  row.results.resize(1);
  row.results[0].wrong = 20;
  row.results[0].rows = 100;
  const Comparison comparison = compare(spec, row);
  EXPECT_NEAR(comparison.ours, 80, 1e-12);
  EXPECT_NEAR(comparison.bars_off, -7 / std::sqrt(87 * 13 / 100.0), 1e-9);
  EXPECT_TRUE(comparison.outside());
  spec.figures[{"CD", "own-test"}].bar = 10;
  EXPECT_FALSE(compare(spec, row).outside());
}

}  // namespace
}  // namespace simplexboost
