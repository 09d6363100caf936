// Boosting that starts from a forest.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "base/message_of.h"
#include "boosting/forest_start.h"
#include "boosting/labelled_data.h"
#include "metric/evaluation.h"
#include "model/file/serialization.h"
#include "model/model_access.h"
#include "simplexboost/error.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::labelled_data;
using testing::message_of;

Dataset starting_rows() { return labelled_data({400, 3, 4, true, 0.15}, 1); }

Parameters starting_forest(int trees) {
  Parameters parameters;
  parameters.algorithm = "forest";
  parameters.rounds = trees;
  return parameters;
}

Parameters boosted(int rounds) {
  Parameters parameters;
  parameters.algorithm = "newton";
  parameters.rounds = rounds;
  parameters.learning_rate = 0.1;
  return parameters;
}

Model go_on(const Model& from, const Dataset& data, const Parameters& parameters,
            const Dataset* valid = nullptr) {
  TrainOptions options;
  options.init = &from;
  options.valid = valid;
  return train(data, parameters, options);
}

double log_loss_on(const Model& model, const Dataset& data) {
  return tally_model(model, data).log_loss.value();
}

// The definition: the scores are the forest's log-probabilities and what the rounds add.
TEST(ForestStart, AddsItsRoundsToWhatTheForestSays) {
  const Dataset data = starting_rows();
  const Dataset test = labelled_data({100, 3, 4, true, 0.15}, 2);
  const Model forest = train(data, starting_forest(25));
  const Model model = go_on(forest, data, boosted(12));
  EXPECT_EQ(model.rounds(), 12U);
  EXPECT_EQ(model.log().rounds(), 12U);
  const Matrix before = forest.predict_proba(test);
  const Matrix after = model.predict_proba(test);
  const Matrix outputs = model.predict_outputs(test);
  for (std::size_t i = 0; i < test.rows; ++i) {
    double sum = 0;
    std::vector<double> expected(3);
    for (std::size_t k = 0; k < 3; ++k) {
      expected[k] = static_cast<double>(before.row(i)[k]) *
                    std::exp(static_cast<double>(outputs.row(i)[3 + k]));
      sum += expected[k];
    }
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(after.row(i)[k], expected[k] / sum, 1e-5);
  }
}

// Trees of a forest know their own rows by heart: from what they say of these nothing is learned.
TEST(ForestStart, StartsFromWhatIsOutOfTheBag) {
  const Dataset data = starting_rows();
  const Dataset test = labelled_data({4000, 3, 4, true, 0.15}, 2);
  const Model forest = train(data, starting_forest(40));
  const Model model = go_on(forest, data, boosted(10));
  const double logged = model.log().value("train_error", 0).value();
  EXPECT_NEAR(logged, forest.log().value("oob_error", 39).value(), 0.04);
  EXPECT_GT(logged, 0.05);
  EXPECT_LT(log_loss_on(model, test), 1.1 * log_loss_on(forest, test));
}

TEST(ForestStart, GivesTheSameBytesForAnyNumberOfThreadsAndAfterAFile) {
  const Dataset data = starting_rows();
  Parameters parameters = boosted(6);
  parameters.threads = 1;
  const Model forest = train(data, starting_forest(10));
  const std::string one = serialize(ensemble_of(go_on(forest, data, parameters)));
  parameters.threads = 3;
  EXPECT_EQ(serialize(ensemble_of(go_on(forest, data, parameters))), one);
  EXPECT_EQ(serialize(deserialize(std::as_bytes(std::span(one)))), one);
}

TEST(ForestStart, GoesOnToTheBytesOfOneTraining) {
  const Dataset data = starting_rows();
  const Dataset valid = labelled_data({150, 3, 4, true, 0.15}, 3);
  const Model forest = train(data, starting_forest(10));
  for (const Dataset* judged : {static_cast<const Dataset*>(nullptr), &valid}) {
    const Model half = go_on(forest, data, boosted(5), judged);
    EXPECT_EQ(serialize(ensemble_of(go_on(half, data, boosted(9), judged))),
              serialize(ensemble_of(go_on(forest, data, boosted(9), judged))));
  }
}

TEST(ForestStart, GoesOnFromACheckpoint) {
  const Dataset data = starting_rows();
  const Model forest = train(data, starting_forest(10));
  const Model half = go_on(forest, data, boosted(3));
  const auto file = std::filesystem::temp_directory_path() / "forest-start.checkpoint";
  for (const Model* from : {&forest, &half}) {
    const std::string whole = serialize(ensemble_of(go_on(*from, data, boosted(8))));
    struct Halt : Progress {
      bool round(std::size_t number, std::span<const RoundMetric>) override { return number < 5; }
    } halt;
    TrainOptions options;
    options.init = from;
    options.checkpoint = {file.string(), 30, 1, true};
    options.progress = &halt;
    EXPECT_LT(train(data, boosted(8), options).rounds(), 8U);
    options.progress = nullptr;
    EXPECT_EQ(serialize(ensemble_of(train(data, boosted(8), options))), whole);
    std::filesystem::remove(file);
  }
}

TEST(ForestStart, StopsEarlyOnValidationRows) {
  const Dataset data = starting_rows();
  const Dataset valid = labelled_data({200, 3, 4, true, 0.15}, 2);
  const Model forest = train(data, starting_forest(20));
  Parameters parameters = boosted(400);
  parameters.early_stopping = 5;
  const Model model = go_on(forest, data, parameters, &valid);
  EXPECT_LT(model.rounds(), 400U);
  EXPECT_LE(log_loss_on(model, valid), log_loss_on(forest, valid) + 1e-9);
  EXPECT_NEAR(model.log().value("valid_log_loss", model.rounds() - 1).value(),
              log_loss_on(model, valid), 1e-5);
}

TEST(ForestStart, RefusesWhatItCannotStartFrom) {
  const Dataset data = starting_rows();
  const Model forest = train(data, starting_forest(4));
  const auto message = [&](const Model& from, const Dataset& rows, const Parameters& parameters) {
    return message_of<ParameterError>([&] { go_on(from, rows, parameters); });
  };
  EXPECT_NE(message(forest, labelled_data({400, 3, 4, true, 0.15}, 9), boosted(3))
                .find("give the rows and weights that it was trained on"),
            std::string::npos);
  Parameters whole = starting_forest(4);
  whole.bootstrap = "none";
  EXPECT_NE(message(train(data, whole), data, boosted(3)).find("--bootstrap plain"),
            std::string::npos);
  Parameters other = boosted(3);
  other.algorithm = "samme";
  EXPECT_NE(message(forest, data, other).find("only newton"), std::string::npos);
  EXPECT_NE(message(go_on(forest, data, boosted(3)), data, starting_forest(9)).find("algorithm"),
            std::string::npos);
}

}  // namespace
}  // namespace simplexboost
