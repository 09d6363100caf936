#include "tuning/search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "data/rows/folds.h"
#include "metric/evaluation.h"
#include "simplexboost/error.h"
#include "simplexboost/generate.h"
#include "simplexboost/train.h"
#include "tuning/tuning_report.h"
#include "tuning/tuning_runs.h"

namespace simplexboost {
namespace {

using testing::algorithm_names;
using testing::StopAfter;

Dataset waveform(std::size_t rows) {
  GeneratorSpec spec;
  spec.name = "waveform";
  spec.rows = rows;
  return generate(spec);
}

std::vector<TrialSplit> splits_of(const Dataset& data, int folds, int count) {
  const auto fold_of_row = make_folds(data.labels, data.rows, {folds, 0, true, {}});
  std::vector<TrialSplit> splits;
  for (int f = 0; f < count; ++f) {
    const RowSplit rows = hold_out_fold(fold_of_row, f);
    splits.push_back({select_rows(data, rows.train), select_rows(data, rows.valid)});
  }
  return splits;
}

SearchOptions few_trials(std::vector<std::string> algorithms, std::size_t trials) {
  SearchOptions options{.metric = find_metric("error", false)};
  for (const std::string& name : algorithms) options.spaces.push_back(make_space(name, {}, {}));
  options.parameters.rounds = 90;
  options.parameters.threads = 2;
  options.trials = trials;
  return options;
}

SearchResult run(const std::vector<TrialSplit>& splits, const SearchOptions& options) {
  return search(splits, options, [](const Trial&) {});
}

TEST(Search, TheFirstTrialOfEachAlgorithmIsItsDefaults) {
  const Dataset data = waveform(200);
  const SearchResult result = run(splits_of(data, 4, 1), few_trials({"newton", "samme"}, 4));
  ASSERT_EQ(result.trials.size(), 4U);
  EXPECT_EQ(result.trials[0].algorithm, "newton");
  EXPECT_EQ(result.trials[1].algorithm, "samme");
  EXPECT_TRUE(result.trials[0].settings.empty() && result.trials[1].settings.empty());
  EXPECT_FALSE(result.trials[2].settings.empty());
}

TEST(Search, ATrialIsATrainingAndItsBestRound) {
  const Dataset data = waveform(300);
  const auto splits = splits_of(data, 3, 1);
  SearchOptions options = few_trials({"samme"}, 3);
  options.kind = SearchKind::kRandom;
  options.parameters.early_stopping = 90;
  const SearchResult result = run(splits, options);
  for (const Trial& trial : result.trials) {
    Parameters parameters = winner_parameters(options.parameters, trial);
    EXPECT_EQ(parameters.rounds, static_cast<int>(trial.rounds));
    const Model model = train(splits[0].train, parameters);
    EXPECT_NEAR(tally_model(model, splits[0].valid).counts.error(), trial.value, 1e-9);
  }
}

TEST(Search, SeveralSplitsGiveTheMeanAndThreadsDoNotMatter) {
  const Dataset data = waveform(300);
  const auto splits = splits_of(data, 3, 3);
  SearchOptions options = few_trials({"newton"}, 3);
  const SearchResult two = run(splits, options);
  options.parameters.threads = 1;
  const SearchResult one = run(splits, options);
  for (std::size_t t = 0; t < 3; ++t) {
    EXPECT_EQ(one.trials[t].value, two.trials[t].value);
    EXPECT_EQ(one.trials[t].rounds, two.trials[t].rounds);
  }
  // The first trial, by hand.
  double sum = 0;
  for (const TrialSplit& split : splits) {
    const Model model = train(split.train, winner_parameters(options.parameters, one.trials[0]));
    sum += tally_model(model, split.valid).counts.error();
  }
  EXPECT_NEAR(one.trials[0].value, sum / 3, 1e-9);
}

TEST(Search, HalvingEndsPoorTrialsEarlyAndKeepsGoodOnes) {
  const Dataset data = waveform(300);
  SearchOptions options = few_trials({"newton"}, 12);
  options.parameters.early_stopping = 90;
  const SearchResult result = run(splits_of(data, 3, 1), options);
  std::size_t ended = 0;
  for (const Trial& trial : result.trials)
    if (trial.end.starts_with("not among the best")) {
      ++ended;
      EXPECT_LT(trial.rounds_run, 90U);
    }
  EXPECT_GE(ended, 3U);
  EXPECT_EQ(result.trials[0].rounds_run, 90U);  // the first has nothing to be worse than
}

TEST(Search, TriesEveryPointOfAGridOnce) {
  const Dataset data = waveform(150);
  SearchOptions options = few_trials({}, 100);
  options.kind = SearchKind::kGrid;
  options.parameters.rounds = 3;
  for (const char* name : {"samme", "adaboost-m1"})
    options.spaces.push_back({name, {parse_range("depth=1,2,3"), parse_range("min-rows=1,5")}});
  const SearchResult result = run(splits_of(data, 3, 1), options);
  std::set<std::string> points;
  for (const Trial& trial : result.trials)
    points.insert(trial.algorithm + settings_text(trial.settings));
  EXPECT_EQ(points.size(), 12U);
  EXPECT_EQ(result.trials.size(), 12U);
  options.spaces[0].ranges.push_back(parse_range("learning-rate=0.1:1"));
  EXPECT_THROW(run(splits_of(data, 3, 1), options), ParameterError);
}

TEST(Search, ASmallSpaceIsTriedOnceAndOver) {
  const Dataset data = waveform(150);
  SearchOptions options = few_trials({}, 100);
  options.parameters.rounds = 2;
  options.spaces.push_back({"samme", {parse_range("depth=1,2")}});
  EXPECT_EQ(run(splits_of(data, 3, 1), options).trials.size(), 3U);  // defaults, 1, 2
}

TEST(Search, AFailedTrialIsRecordedAndTheOthersGoOn) {
  const Dataset data = waveform(150);
  SearchOptions options = few_trials({}, 6);
  options.parameters.rounds = 2;
  options.spaces.push_back({"samme", {parse_range("loss=exponential,savage")}});  // has no choice
  options.spaces.push_back({"newton", {parse_range("l2=1,2")}});
  const SearchResult result = run(splits_of(data, 3, 1), options);
  std::size_t failed = 0;
  for (const Trial& trial : result.trials)
    if (trial.end.starts_with("failed: ")) {
      ++failed;
      EXPECT_TRUE(std::isnan(trial.value));
    }
  EXPECT_GE(failed, 1U);
  ASSERT_NE(result.winner(options.metric), nullptr);
  EXPECT_TRUE(std::isfinite(result.winner(options.metric)->value));
}

TEST(Search, GoesOnFromItsJournal) {
  std::string name = (std::filesystem::temp_directory_path() / "searchXXXXXX").string();
  const std::filesystem::path folder = mkdtemp(name.data());
  const Dataset data = waveform(200);
  const auto splits = splits_of(data, 4, 1);
  SearchOptions options = few_trials({"newton", "samme"}, 6);
  const SearchResult whole = run(splits, options);
  options.journal = (folder / "trials.jsonl").string();
  StopAfter stop(5);  // a trial calls it once or more
  options.progress = &stop;
  const SearchResult part = run(splits, options);
  EXPECT_TRUE(part.interrupted);
  EXPECT_LT(part.trials.size(), 6U);
  options.progress = nullptr;
  const SearchResult rest = run(splits, options);
  std::filesystem::remove_all(folder);
  ASSERT_EQ(rest.trials.size(), 6U);
  for (std::size_t t = 0; t < 6; ++t) {
    EXPECT_EQ(rest.trials[t].known, t < part.trials.size());
    EXPECT_EQ(rest.trials[t].value, whole.trials[t].value);
    EXPECT_EQ(rest.trials[t].settings, whole.trials[t].settings);
    EXPECT_EQ(rest.trials[t].rounds_run, whole.trials[t].rounds_run);
  }
}

// No training had so many; as a setting of the last training it would be out of range.
TEST(Search, TrainsAnewWhereTheJournalHasMoreRoundsThanThereAre) {
  std::string name = (std::filesystem::temp_directory_path() / "searchXXXXXX").string();
  const std::filesystem::path folder = mkdtemp(name.data());
  const auto splits = splits_of(waveform(200), 4, 1);
  SearchOptions options = few_trials({"newton"}, 1);
  options.journal = (folder / "trials.jsonl").string();
  const SearchResult first = run(splits, options);
  std::string record;
  std::getline(std::ifstream(options.journal), record);
  record.replace(record.find("\"rounds\":"), 9, "\"rounds\":1000000000");
  std::ofstream(options.journal) << record << '\n';
  const SearchResult again = run(splits, options);
  std::filesystem::remove_all(folder);
  EXPECT_FALSE(again.trials[0].known);
  EXPECT_EQ(again.trials[0].rounds, first.trials[0].rounds);
}

// Of equal columns and as many rows of each class: no round lowers the risk.
Dataset without_signal(Dataset data) {
  for (Column& column : data.columns)
    column = Column::numeric(column.schema.name, std::vector<double>(data.rows, 1));
  for (std::size_t i = 0; i < data.rows; ++i)
    data.labels.codes[i] = static_cast<std::int32_t>(i % 3);
  return data;
}

TEST(Search, ASplitWithoutRoundsIsJudgedByItsStart) {
  auto splits = splits_of(waveform(200), 4, 2);
  SearchOptions options = few_trials({"newton"}, 1);
  options.parameters.early_stopping = 90;
  splits[1].train = without_signal(waveform(60));
  Parameters parameters = options.parameters;
  parameters.algorithm = "newton";
  const Model start = train(splits[1].train, parameters);
  ASSERT_EQ(start.rounds(), 0U);
  const double constant = tally_model(start, splits[1].valid).counts.error();
  const SearchResult alone = run({splits[0]}, options);
  EXPECT_NEAR(run(splits, options).trials[0].value, (alone.trials[0].value + constant) / 2, 1e-9);
  const Trial none = run({splits[1]}, options).trials[0];
  EXPECT_EQ(none.value, constant);
  EXPECT_EQ(none.rounds, 0U);
  EXPECT_EQ(winner_parameters(options.parameters, none).rounds, 1);
}

TEST(Search, TimeEndsIt) {
  const Dataset data = waveform(200);
  SearchOptions options = few_trials({"newton"}, 1'000'000);
  options.seconds = 0.05;
  const SearchResult result = run(splits_of(data, 4, 1), options);
  EXPECT_GE(result.trials.size(), 1U);
  EXPECT_LT(result.trials.size(), 1000U);
  EXPECT_TRUE(std::isfinite(result.winner(options.metric)->value));
}

TEST(Search, HigherIsBetterWhereItIs) {
  const Dataset data = waveform(200);
  SearchOptions options = few_trials({"newton"}, 5);
  options.metric = find_metric("macro-f1", false);
  const SearchResult result = run(splits_of(data, 4, 1), options);
  for (const Trial& trial : result.trials)
    EXPECT_GE(result.winner(options.metric)->value, trial.value);
}

class EverySpace : public ::testing::TestWithParam<std::string_view> {};

// Whatever is drawn from an algorithm's own space can be trained.
TEST_P(EverySpace, HoldsOnlyWhatCanBeTrained) {
  const Dataset data = waveform(90);
  SearchOptions options = few_trials({std::string(GetParam())}, 6);
  options.parameters.rounds = 2;
  for (const Trial& trial : run(splits_of(data, 3, 1), options).trials)
    EXPECT_FALSE(trial.end.starts_with("failed")) << trial.end;
}

TEST(Search, JudgesItsFinalistsAgainOnOtherRows) {
  const Dataset data = waveform(300);
  const auto splits = splits_of(data, 4, 1);
  SearchOptions options = few_trials({"newton"}, 6);
  options.parameters.early_stopping = 90;
  options.finalists = 3;
  options.other_count = 3;
  options.other_splits = [&] { return splits_of(data, 3, 3); };
  std::size_t heard = 0;
  const SearchResult result =
      search(splits, options, [&](const Trial& trial) { heard += trial.again.has_value(); });
  EXPECT_EQ(heard, 3U);
  double worst_final = 0;
  for (const Trial& trial : result.trials)
    if (trial.again) worst_final = std::max(worst_final, trial.value);
  std::size_t finalists = 0;
  for (const Trial& trial : result.trials) {
    if (!trial.again) {
      EXPECT_GE(trial.value, worst_final);
      continue;
    }
    ++finalists;
    // By hand, at the best rounds of the second judgement.
    Parameters parameters = winner_parameters(options.parameters, trial);
    parameters.rounds = static_cast<int>(trial.again->rounds);
    double sum = 0;
    for (const TrialSplit& split : splits_of(data, 3, 3))
      sum += tally_model(train(split.train, parameters), split.valid).counts.error();
    EXPECT_NEAR(trial.again->value, sum / 3, 1e-9);
    EXPECT_NEAR(trial.mean_value(), (trial.value + sum) / 4, 1e-9);
  }
  EXPECT_EQ(finalists, 3U);
  const Trial* const winner = result.winner(options.metric);
  ASSERT_TRUE(winner && winner->again);
  for (const Trial& trial : result.trials)
    if (trial.again) {
      EXPECT_LE(winner->mean_value(), trial.mean_value());
    }
}

TEST(Search, FindsSecondJudgementsInItsJournal) {
  const Dataset data = waveform(200);
  const auto splits = splits_of(data, 4, 1);
  const auto journal = std::filesystem::temp_directory_path() / "simplexboost_finalists.jsonl";
  std::filesystem::remove(journal);
  SearchOptions options = few_trials({"samme"}, 3);
  options.journal = journal.string();
  options.finalists = 2;
  options.other_count = 2;
  std::size_t made = 0;
  options.other_splits = [&] {
    ++made;
    return splits_of(data, 2, 2);
  };
  const SearchResult first = run(splits, options);
  const auto size = std::filesystem::file_size(journal);
  const SearchResult second = run(splits, options);
  EXPECT_EQ(std::filesystem::file_size(journal), size);  // nothing was trained
  EXPECT_EQ(made, 2U);
  for (std::size_t t = 0; t < 3; ++t) {
    ASSERT_EQ(first.trials[t].again.has_value(), second.trials[t].again.has_value());
    if (first.trials[t].again) {
      EXPECT_EQ(first.trials[t].again->value, second.trials[t].again->value);
    }
  }
  std::filesystem::remove(journal);
}

TEST(SearchSpace, BeginsWithWhatThePortfolioHasOfTheAlgorithm) {
  const Dataset data = waveform(200);
  Parameters common;
  common.l2 = 0.7;  // the user's: no member may change it
  const Portfolio portfolio = make_portfolio(data, common, Quality::kBest);
  SearchSpace space = make_space("newton", {}, {"l2"});
  space.starts = starts_of(portfolio, common, "newton", {"l2"});
  ASSERT_GE(space.starts.size(), 2U);
  EXPECT_TRUE(space.draw(1, 0).empty());
  for (std::size_t i = 0; i < space.starts.size(); ++i) {
    EXPECT_EQ(space.draw(1, i + 1), space.starts[i]);
    Parameters parameters = common;
    for (const Setting& setting : space.starts[i]) {
      EXPECT_TRUE(setting.name != "rounds" && setting.name != "seed" && setting.name != "l2");
      set_parameter(parameters, setting.name, setting.value);
    }
  }
  EXPECT_EQ(space.draw(1, space.starts.size() + 1).size(), space.ranges.size());
  EXPECT_TRUE(starts_of(portfolio, common, "samme", {}).empty());
}

INSTANTIATE_TEST_SUITE_P(Table, EverySpace, ::testing::ValuesIn(algorithm_names()),
                         [](const auto& test) {
                           std::string name(test.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(TuningReport, ListsTheBestFirstAndQuotesWhatItMust) {
  SearchResult result;
  Trial trial;
  trial.algorithm = "newton";
  trial.settings = {{"leaves", "31"}};
  trial.value = 0.2;
  trial.end = "a|b, \"c\"";
  result.trials.push_back(trial);
  trial.number = 1;
  trial.value = 0.1;
  trial.settings = {{"l2", "3"}};
  result.trials.push_back(trial);
  const Metric metric = find_metric("error", false);
  const std::string markdown =
      tuning_markdown(result, metric, {make_space("newton", {}, {})}, {{"data", "x.csv"}});
  EXPECT_LT(markdown.find("l2=3"), markdown.find("leaves=31"));
  EXPECT_NE(markdown.find("a\\|b"), std::string::npos);
  EXPECT_NE(markdown.find("- data: x.csv"), std::string::npos);
  const std::string csv = tuning_csv(result, metric);
  EXPECT_TRUE(csv.starts_with("trial,algorithm,leaves,l2,error,"));
  EXPECT_NE(csv.find("\"a|b, \"\"c\"\"\""), std::string::npos);
}

}  // namespace
}  // namespace simplexboost
