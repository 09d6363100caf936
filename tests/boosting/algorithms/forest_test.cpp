// The algorithm forest.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/message_of.h"
#include "boosting/labelled_data.h"
#include "boosting/many_classes.h"
#include "metric/evaluation.h"
#include "metric/metric_table.h"
#include "model/file/serialization.h"
#include "model/model_access.h"
#include "simplexboost/error.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::labelled_data;
using testing::many_classes;
using testing::message_of;
using testing::multi_label_data;

Parameters forest(int trees) {
  Parameters parameters;
  parameters.algorithm = "forest";
  parameters.rounds = trees;
  parameters.threads = 1;
  return parameters;
}

double error_on(const Model& model, const Dataset& data) {
  const Metric error = find_metric("error", data.labels.multi_label());
  return error.value(tally_model(model, data, {}, error.parts()));
}

const EstimateFigure& figure(const Model& model, const std::string& name) {
  for (const EstimateFigure& one : ensemble_of(model).estimate.value().figures)
    if (one.name == name && one.label < 0) return one;
  throw std::runtime_error("no figure " + name);
}

TEST(Forest, IsTheSameForAnyNumberOfThreads) {
  for (const char* thresholds : {"best", "drawn"}) {
    const Dataset data = labelled_data({500, 4, 5, true, 0.2}, 1);
    Parameters parameters = forest(13);
    parameters.thresholds = thresholds;
    const std::string one = serialize(ensemble_of(train(data, parameters)));
    for (const int threads : {2, 5}) {
      parameters.threads = threads;
      EXPECT_EQ(serialize(ensemble_of(train(data, parameters))), one);
    }
    parameters.seed = 1;
    EXPECT_NE(serialize(ensemble_of(train(data, parameters))), one);
  }
}

TEST(Forest, LearnsAndForetellsItsError) {
  for (const char* thresholds : {"best", "drawn"}) {
    const Dataset data = labelled_data({1500, 5, 4, true, 0.1}, 1);
    const Dataset test = labelled_data({4000, 5, 4, true, 0.1}, 2);
    Parameters parameters = forest(80);
    parameters.thresholds = thresholds;
    const Model model = train(data, parameters);
    const double error = error_on(model, test);
    EXPECT_LT(error, 0.2);
    const EstimateFigure estimate = figure(model, "error");
    // A row is judged by a third of the trees, which are a little worse than all of them.
    EXPECT_LT(estimate.low, error + 0.01);
    EXPECT_GT(estimate.high, error);
    EXPECT_EQ(ensemble_of(model).estimate->method, "out-of-bag");
    EXPECT_EQ(ensemble_of(model).estimate->rows, 1500U);
    const Evaluation judged = tally_model(model, test);
    EXPECT_NEAR(figure(model, "log-loss").value, judged.log_loss.value(), 0.1);
    EXPECT_LT(figure(model, "calibration").value, 0.1);
  }
}

TEST(Forest, LogsWhatIsOutOfTheBag) {
  const Dataset data = labelled_data({400, 3, 4, false, 0.1}, 1);
  const Model model = train(data, forest(30));
  const TrainingLog& log = ensemble_of(model).log;
  EXPECT_EQ(log.columns, (std::vector<std::string>{"oob_error", "oob_log_loss"}));
  ASSERT_EQ(log.values.size(), 60U);
  EXPECT_NEAR(log.values[58], figure(model, "error").value, 1e-9);
  EXPECT_LT(log.values[58], log.values[0]);
}

TEST(Forest, ProbabilitiesAreTheSharesOfItsTreesPooled) {
  const Dataset data = labelled_data({200, 3, 4, false, 0.3}, 1);
  Parameters parameters = forest(5);
  parameters.bootstrap = "none";
  parameters.min_rows = 8;
  const Model model = train(data, parameters);
  EXPECT_FALSE(ensemble_of(model).estimate.has_value());
  const Matrix outputs = model.predict_outputs(data);
  const Matrix proba = model.predict_proba(data);
  const double shift = ensemble_of(model).members[0].shift;
  for (std::size_t i = 0; i < data.rows; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += static_cast<double>(outputs.row(i)[k]);
    EXPECT_NEAR(sum, 5, 1e-5);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(proba.row(i)[k],
                  (static_cast<double>(outputs.row(i)[k]) / 5 + shift) / (1 + 3 * shift), 1e-5);
  }
}

TEST(Forest, SmallModelsOfManyClasses) {
  const Dataset data = many_classes(2000, 200);
  const Model model = train(data, forest(3));
  const Forest& trees = ensemble_of(model).forest;
  EXPECT_EQ(trees.leaf_values.size(), 0U);
  EXPECT_LE(trees.entry_values.size(), 3 * data.rows);
  const std::string bytes = serialize(ensemble_of(model));
  EXPECT_EQ(deserialize(std::as_bytes(std::span(bytes))), ensemble_of(model));
}

TEST(Forest, TakesSetsOfLabels) {
  const Dataset data = multi_label_data({800, 5, 4, true, 0.05}, 1);
  const Dataset test = multi_label_data({800, 5, 4, true, 0.05}, 2);
  const Model model = train(data, forest(60));
  const double error = error_on(model, test);
  EXPECT_LT(error, 0.15);
  EXPECT_LT(figure(model, "error").low, error);
  EXPECT_GT(figure(model, "error").high, error);
}

TEST(Forest, WeightsAndClassWeightsCount) {
  Dataset data = labelled_data({600, 2, 3, false, 0.4}, 1);
  Parameters parameters = forest(40);
  parameters.min_rows = 10;
  const auto share_of_first = [&](const Model& model) {
    double count = 0;
    for (const std::int32_t k : model.predict(data)) count += k == 0 ? 1 : 0;
    return count / static_cast<double>(data.rows);
  };
  const double plain = share_of_first(train(data, parameters));
  parameters.class_weight = "k0=5";
  EXPECT_GT(share_of_first(train(data, parameters)), plain + 0.1);
  parameters.class_weight = "none";
  data.weights.assign(data.rows, 1);
  for (std::size_t i = 0; i < data.rows; ++i)
    if (data.labels.codes[i] == 0) data.weights[i] = 5;
  EXPECT_GT(share_of_first(train(data, parameters)), plain + 0.1);
}

// Its estimate and temperature included: which rows a tree did not see follows from the seed.
TEST(Forest, GoesOnToTheBytesOfOneTraining) {
  for (const char* bootstrap : {"plain", "none", "bayesian"}) {
    Dataset data = labelled_data({300, 3, 4, true, 0.2}, 1);
    for (std::size_t i = 0; i < data.rows; ++i)
      data.weights.push_back(1 + static_cast<double>(i % 3));
    const auto with = [&](int trees) {
      Parameters parameters = forest(trees);
      parameters.bootstrap = bootstrap;
      if (parameters.bootstrap != "plain") parameters.row_fraction = 0.7;
      return parameters;
    };
    Model model = train(data, with(7));
    for (const int trees : {9, 12}) {
      TrainOptions options;
      options.init = &model;
      model = train(data, with(trees), options);
    }
    EXPECT_EQ(serialize(ensemble_of(model)), serialize(ensemble_of(train(data, with(12)))))
        << bootstrap;
  }
}

TEST(Forest, GoesOnToTheEstimateOfOneTrainingOfSetsOfLabels) {
  const Dataset data = multi_label_data({300, 4, 3, true, 0.1}, 1);
  const Model first = train(data, forest(6));
  TrainOptions options;
  options.init = &first;
  const Model more = train(data, forest(10), options);
  const Model whole = train(data, forest(10));
  EXPECT_NEAR(figure(more, "log-loss").value, figure(whole, "log-loss").value, 1e-6);
}

// Old trees have seen some of the rows, nobody knows which.
TEST(Forest, OnOtherRowsIsJudgedByItsNewTrees) {
  const Dataset data = labelled_data({300, 3, 4, true, 0.2}, 1);
  const Model first = train(data, forest(30));
  std::vector<std::uint32_t> rows(250);
  std::iota(rows.begin(), rows.end(), 25U);
  const Dataset others = select_rows(data, rows);
  TrainOptions options;
  options.init = &first;
  const Model more = train(others, forest(60), options);
  EXPECT_EQ(figure(more, "error").value, more.log().value("oob_error", 59).value());
  EXPECT_GT(figure(more, "error").value, error_on(first, others));
}

TEST(Forest, StopsEarlyOnValidationRows) {
  const Dataset data = labelled_data({300, 3, 4, false, 0.2}, 1);
  const Dataset valid = labelled_data({200, 3, 4, false, 0.2}, 2);
  Parameters parameters = forest(200);
  parameters.early_stopping = 3;
  TrainOptions options;
  options.valid = &valid;
  const Model model = train(data, parameters, options);
  EXPECT_LT(model.rounds(), 200U);
  EXPECT_NE(ensemble_of(model).log.stop_reason.find("kept the best"), std::string::npos);
}

TEST(Forest, WithstandsWrongLabels) {
  const Dataset noisy = labelled_data({1200, 6, 2, false, 0.3}, 1);
  const Dataset clean = labelled_data({3000, 6, 2, false, 0.0}, 2);
  Parameters parameters = forest(100);
  parameters.min_rows = 3;
  Parameters boosting;
  EXPECT_LT(error_on(train(noisy, parameters), clean), error_on(train(noisy, boosting), clean));
}

TEST(Forest, RejectsWhatItHasNoPlaceFor) {
  const Dataset data = labelled_data({100, 3, 2, false, 0.2}, 1);
  const auto message = [&](auto set) {
    Parameters parameters = forest(2);
    set(parameters);
    return message_of<ParameterError>([&] { train(data, parameters); });
  };
  EXPECT_EQ(message([](Parameters& p) { p.leaves = 7; }),
            "leaves: forest grows whole trees; bound them by depth or min-rows");
  EXPECT_EQ(message([](Parameters& p) { p.learning_rate = 0.5; }),
            "learning-rate: a forest takes no steps; leave it out");
  EXPECT_EQ(message([](Parameters& p) { p.l2 = 0.5; }),
            "l2: a forest has no such penalty; leave it out");
}

// Trees are grown several at once, more of them with more threads; those beyond the last count for
// nothing.
TEST(ForestStop, GivesTheSameBytesForAnyNumberOfThreads) {
  const Dataset data = testing::labelled_data({.rows = 250, .mixed = true}, 41);
  const Dataset valid = testing::labelled_data({.rows = 100, .mixed = true}, 42);
  Parameters parameters;
  parameters.algorithm = "forest";
  parameters.rounds = 60;
  parameters.early_stopping = 3;
  TrainOptions options;
  options.valid = &valid;
  std::string first;
  for (const int threads : {1, 2, 5}) {
    parameters.threads = threads;
    const Model model = train(data, parameters, options);
    ASSERT_LT(model.rounds(), 56U);
    const std::string bytes = serialize(ensemble_of(model));
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first) << threads;
  }
}

}  // namespace
}  // namespace simplexboost
