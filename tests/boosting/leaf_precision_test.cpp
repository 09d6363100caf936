// Leaves of half precision: training sees the values that the model will have.
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "boosting/many_classes.h"
#include "boosting/training_log.h"
#include "model/file/serialization.h"
#include "model/model_access.h"
#include "simplexboost/error.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

Dataset rows_of_classes(std::size_t classes, std::uint64_t seed = 1) {
  return testing::many_classes(1200, classes, seed);
}

Parameters with_precision(const std::string& precision, int rounds = 12) {
  Parameters parameters;
  parameters.leaf_precision = precision;
  parameters.rounds = rounds;
  return parameters;
}

using testing::column;
using testing::error_of;

LeafPrecision precision_of(const Model& model) { return model.forest().leaf_values.precision(); }

double log_loss_of(const Model& model, const Dataset& data) {
  const Matrix proba = model.predict_proba(data);
  double sum = 0;
  for (std::size_t i = 0; i < data.rows; ++i)
    sum -=
        std::log(static_cast<double>(proba.row(i)[static_cast<std::size_t>(data.labels.codes[i])]));
  return sum / static_cast<double>(data.rows);
}

TEST(LeafPrecision, IsHalfOfTheMemoryForManyOutputs) {
  EXPECT_EQ(precision_of(train(rows_of_classes(63), with_precision("auto"))),
            LeafPrecision::kFloat32);
  EXPECT_EQ(precision_of(train(rows_of_classes(64), with_precision("auto"))),
            LeafPrecision::kBfloat16);
  Parameters few = with_precision("auto");
  few.codewords = "random";
  few.dimension = 8;
  EXPECT_EQ(precision_of(train(rows_of_classes(64), few)), LeafPrecision::kFloat32);
  EXPECT_EQ(precision_of(train(rows_of_classes(64), with_precision("float32"))),
            LeafPrecision::kFloat32);
}

// The last line of the log is of the scores that training kept; the model's own must be the same.
// (Training's log loss is to single precision, far more than leaves of bfloat16 have.)
TEST(LeafPrecision, TrainingSeesWhatTheModelSays) {
  const Dataset data = rows_of_classes(5, 1);
  const Dataset valid = rows_of_classes(5, 2);
  TrainOptions options;
  options.valid = &valid;
  Parameters wanted = with_precision("bfloat16", 30);
  wanted.early_stopping = 0;
  const Model model = train(data, wanted, options);
  ASSERT_EQ(precision_of(model), LeafPrecision::kBfloat16);
  EXPECT_EQ(column(model, "train_error").back(), error_of(model, data));
  EXPECT_NEAR(column(model, "valid_log_loss").back(), log_loss_of(model, valid), 1e-7);
}

TEST(LeafPrecision, CostsNoAccuracy) {
  const Dataset data = rows_of_classes(20, 1);
  const Dataset test = rows_of_classes(20, 2);
  const double single = log_loss_of(train(data, with_precision("float32", 60)), test);
  const double half = log_loss_of(train(data, with_precision("bfloat16", 60)), test);
  EXPECT_NEAR(half, single, 0.02 * single);
}

TEST(LeafPrecision, SurvivesTheFile) {
  const Model model = train(rows_of_classes(7), with_precision("bfloat16"));
  const std::string bytes = serialize(ensemble_of(model));
  EXPECT_TRUE(deserialize(std::as_bytes(std::span(bytes))) == ensemble_of(model));
  const std::string single =
      serialize(ensemble_of(train(rows_of_classes(7), with_precision("float32"))));
  EXPECT_LT(bytes.size() + model.forest().leaf_values.size(), single.size());
}

TEST(LeafPrecision, GoesOnFromHalfAndWidensItWithoutLoss) {
  const Dataset data = rows_of_classes(6);
  const Model half = train(data, with_precision("bfloat16", 5));
  TrainOptions options;
  options.init = &half;
  EXPECT_EQ(serialize(ensemble_of(train(data, with_precision("bfloat16", 9), options))),
            serialize(ensemble_of(train(data, with_precision("bfloat16", 9)))));

  Parameters lines = with_precision("auto", 9);
  lines.learner = "linear";
  const Model mixed = train(data, lines, options);
  EXPECT_EQ(precision_of(mixed), LeafPrecision::kFloat32);
  EXPECT_EQ(mixed.parameters().at("leaf-precision"), "float32");
  PredictOptions five;
  five.rounds = 5;
  EXPECT_EQ(mixed.predict_scores(data, five).values, half.predict_scores(data).values);
}

TEST(LeafPrecision, OfAModelOfSinglePrecisionStays) {
  const Dataset data = rows_of_classes(6);
  const Model single = train(data, with_precision("float32", 5));
  TrainOptions options;
  options.init = &single;
  const Model longer = train(data, with_precision("bfloat16", 9), options);
  EXPECT_EQ(precision_of(longer), LeafPrecision::kFloat32);
  EXPECT_EQ(longer.parameters().at("leaf-precision"), "float32");
}

TEST(LeafPrecision, IsRefusedWhereValuesMustNotBeRounded) {
  for (const char* algorithm : {"samme", "adaboost-mh", "gd-mcboost", "logitboost"}) {
    Parameters parameters = with_precision("bfloat16");
    parameters.algorithm = algorithm;
    EXPECT_THROW(train(rows_of_classes(4), parameters), ParameterError) << algorithm;
  }
  Parameters lines = with_precision("bfloat16");
  lines.learner = "linear";
  EXPECT_THROW(train(rows_of_classes(4), lines), ParameterError);
}

}  // namespace
}  // namespace simplexboost
