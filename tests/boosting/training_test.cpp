#include "boosting/training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "metric/evaluation.h"
#include "metric/metric_table.h"
#include "model/model_access.h"
#include "simplexboost/error.h"
#include "simplexboost/generate.h"

namespace simplexboost {
namespace {

Dataset rows_of(std::uint64_t seed, std::size_t rows) {
  GeneratorSpec spec;
  spec.name = "led";
  spec.rows = rows;
  spec.seed = seed;
  return generate(spec);
}

Parameters few_rounds(const std::string& algorithm) {
  Parameters parameters;
  parameters.algorithm = algorithm;
  parameters.rounds = 20;
  parameters.threads = 2;
  return parameters;
}

TEST(Training, InPartsIsTheSameAsInOneGo) {
  const Dataset data = rows_of(1, 400);
  const Dataset valid = rows_of(2, 200);
  TrainOptions options;
  options.valid = &valid;
  for (const char* algorithm : {"newton", "adaboost-mh", "samme"}) {
    Training training(data, few_rounds(algorithm), options);
    EXPECT_TRUE(training.boost(3));
    EXPECT_EQ(training.rounds(), 3U);
    EXPECT_TRUE(training.boost(11));
    EXPECT_FALSE(training.boost(1000));
    const Model parts = training.finish();
    const Model whole = train(data, few_rounds(algorithm), options);
    EXPECT_EQ(ensemble_of(parts), ensemble_of(whole)) << algorithm;
  }
}

TEST(Training, JudgesMoreDataForTheLogAlone) {
  const Dataset data = rows_of(1, 400);
  const Dataset first = rows_of(2, 200);
  const Dataset second = rows_of(3, 150);
  Parameters parameters = few_rounds("newton");
  parameters.early_stopping_metric = "balanced-error";
  TrainOptions options;
  options.valid = &second;
  const Model one = train(data, parameters, options);
  options.also_valid = {&first, &second};
  const Model several = train(data, parameters, options);
  EXPECT_EQ(several.forest(), one.forest());
  const TrainingLog& log = several.log();
  for (const char* figure : {"error", "log_loss", "balanced_error"}) {
    const std::string name = figure;
    EXPECT_EQ(log.column("valid_" + name), one.log().column("valid_" + name)) << name;
    EXPECT_EQ(log.column("valid_1_" + name), log.column("valid_" + name)) << name;
  }
  options.valid = &first;
  options.also_valid = {};
  EXPECT_EQ(log.column("valid_0_error"),
            train(data, parameters, options).log().column("valid_error"));
}

TEST(Training, TellsTheFiguresOfEachRoundAsItGoes) {
  const Dataset data = rows_of(1, 300);
  Training training(data, few_rounds("samme"));
  EXPECT_EQ(training.log().rounds(), 0U);
  std::vector<double> errors;
  while (training.boost(training.rounds() + 1))
    errors.push_back(training.log().value("train_error", training.rounds() - 1).value());
  EXPECT_EQ(training.log().rounds(), errors.size() + 1);
  const std::vector<double> logged = training.finish().log().column("train_error");
  EXPECT_TRUE(std::equal(errors.begin(), errors.end(), logged.begin()));
}

TEST(Training, HaltedHasTheRoundsSoFar) {
  const Dataset data = rows_of(1, 300);
  Training training(data, few_rounds("newton"));
  training.boost(7);
  EXPECT_EQ(training.best_rounds(), 7U);
  EXPECT_TRUE(std::isnan(training.best_value()));
  EXPECT_EQ(training.finish().rounds(), 7U);
}

class StoppingMetric : public ::testing::TestWithParam<const char*> {};

// Whatever is watched: what the log says of the kept round is the best of the log, and what
// evaluation says of the model.
TEST_P(StoppingMetric, KeepsTheBestRoundByIt) {
  const Dataset data = rows_of(1, 300);
  const Dataset valid = rows_of(2, 300);
  const Metric metric = find_metric(GetParam(), false);
  Parameters parameters = few_rounds("gd-mcboost");
  parameters.rounds = 30;
  parameters.early_stopping = 30;
  parameters.early_stopping_metric = GetParam();
  TrainOptions options;
  options.valid = &valid;
  const Model model = train(data, parameters, options);
  const TrainingLog& log = model.log();
  const auto column =
      std::find(log.columns.begin(), log.columns.end(), "valid_" + metric.json_name()) -
      log.columns.begin();
  ASSERT_LT(static_cast<std::size_t>(column), log.columns.size());
  const auto at = [&](std::size_t round) {
    return log.values[round * log.columns.size() + static_cast<std::size_t>(column)];
  };
  const double kept = at(model.rounds() - 1);
  for (std::size_t round = 0; round < 30; ++round) EXPECT_FALSE(metric.better(at(round), kept));
  EXPECT_NEAR(metric.value(tally_model(model, valid, {}, metric.parts())), kept, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Metrics, StoppingMetric,
                         ::testing::Values("error", "log-loss", "balanced-error", "macro-f1",
                                           "brier", "calibration-error", "top-2-error", "kappa",
                                           "auc", "auc-weighted", "hamming-loss", "margin-mean",
                                           "margin-lowest-10", "pseudo-loss-error"));

TEST(Training, RefusesAMetricOfOtherLabels) {
  const Dataset data = rows_of(1, 100);
  Parameters parameters = few_rounds("newton");
  parameters.early_stopping_metric = "exact-match-error";
  EXPECT_THROW(train(data, parameters), ParameterError);
}

TEST(Training, TakesBinsThatWereChosenBefore) {
  const Dataset data = rows_of(1, 300);
  const Parameters parameters = few_rounds("newton");
  const auto bins = choose_training_bins(data, parameters);
  TrainingContext context;
  context.bins = &bins;
  EXPECT_EQ(ensemble_of(train(data, parameters, {}, context)),
            ensemble_of(train(data, parameters)));
  const std::vector<FeatureBins> others(1);
  context.bins = &others;
  EXPECT_THROW(train(data, parameters, {}, context), DataError);
}

TEST(DefaultPatience, IsNewtonsWhereThereAreValidationRows) {
  GeneratorSpec spec;
  spec.name = "waveform";
  spec.rows = 300;
  const Dataset data = generate(spec);
  spec.seed = 2;
  const Dataset valid = generate(spec);
  TrainOptions watched;
  watched.valid = &valid;
  for (const char* algorithm : {"newton", "samme"}) {
    Parameters parameters;
    parameters.algorithm = algorithm;
    parameters.rounds = 400;
    parameters.learning_rate = 0.5;
    const bool newton = std::string_view(algorithm) == "newton";
    EXPECT_EQ(train(data, parameters, watched).rounds() < 350, newton);
    EXPECT_EQ(train(data, parameters).rounds(), 400U);
    parameters.early_stopping = 0;
    EXPECT_EQ(train(data, parameters, watched).rounds(), 400U);
  }
}

}  // namespace
}  // namespace simplexboost
