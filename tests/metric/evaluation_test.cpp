#include "metric/evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "metric/metric_table.h"
#include "model/model_access.h"
#include "model/random_ensemble.h"
#include "simplexboost/error.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

struct Fixture {
  Random random{7};
  Ensemble ensemble = random_ensemble({}, 7);
  Model model = make_model(ensemble);
  Dataset data = random_data(ensemble.schema, 500, 8);

  Fixture() {
    data.labels.classes = ensemble.schema.classes;
    for (std::size_t i = 0; i < data.rows; ++i) {
      data.labels.codes.push_back(static_cast<std::int32_t>(random.below(4)));
    }
  }
};

// The rows over and over, up to so many.
Dataset repeated_rows(const Dataset& data, std::size_t rows) {
  std::vector<std::uint32_t> order(rows);
  for (std::size_t i = 0; i < rows; ++i) order[i] = static_cast<std::uint32_t>(i % data.rows);
  return select_rows(data, order);
}

TEST(Evaluation, AgreesWithPredictions) {
  Fixture fixture;
  const Evaluation evaluation = tally_model(fixture.model, fixture.data);
  const std::vector<std::int32_t> predicted = fixture.model.predict(fixture.data);
  const Matrix proba = fixture.model.predict_proba(fixture.data);
  LogLoss loss;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < fixture.data.rows; ++i) {
    const auto truth = static_cast<std::size_t>(fixture.data.labels.codes[i]);
    if (predicted[i] != fixture.data.labels.codes[i]) ++wrong;
    loss.add(static_cast<double>(proba.row(i)[truth]));
  }
  EXPECT_EQ(evaluation.wrong_rows, wrong);
  EXPECT_DOUBLE_EQ(evaluation.counts.error(), static_cast<double>(wrong) / 500);
  EXPECT_NEAR(evaluation.log_loss.value(), loss.value(), 1e-6);
}

TEST(Evaluate, ReportsWhatTheTallyHolds) {
  Fixture fixture;
  fixture.data.labels.codes[0] = -1;
  const Evaluation tally = tally_model(fixture.model, fixture.data, {}, kTallyAll);
  const EvaluationReport report =
      evaluate(fixture.model, fixture.data, {{"error", "log-loss", "top-2-error"}});
  EXPECT_EQ(report.rows, 500U);
  EXPECT_EQ(report.weight, 500);
  EXPECT_EQ(report.wrong_rows, tally.wrong_rows);
  EXPECT_EQ(report.unknown_rows, 1U);
  EXPECT_EQ(report.metric("error"), tally.counts.error());
  EXPECT_EQ(report.metric("log-loss"), tally.log_loss.value());
  EXPECT_EQ(report.metric("top-2-error"), find_metric("top-2-error", false).value(tally));
  EXPECT_FALSE(report.metrics[0].higher_is_better);
  EXPECT_EQ(report.classes.size(), fixture.ensemble.classes());
  EXPECT_EQ(report.classes[1].recall(), tally.counts.per_class()[1].recall());
  EXPECT_EQ(report.confusion, tally.confusion.cells());
  EXPECT_THROW(report.metric("auc"), ParameterError);
}

TEST(Evaluate, KnowsEveryMetricByName) {
  Fixture fixture;
  const std::vector<std::string> names = metric_names();
  const EvaluationReport all = evaluate(fixture.model, fixture.data, {names});
  ASSERT_EQ(all.metrics.size(), names.size());
  for (const std::string& name : names) EXPECT_FALSE(std::isnan(all.metric(name))) << name;
  EXPECT_LT(evaluate(fixture.model, fixture.data).metrics.size(), names.size());
  EXPECT_THROW(evaluate(fixture.model, fixture.data, {{"eror"}}), ParameterError);
}

TEST(Evaluation, WholeWeightsCountAsRepeatedRows) {
  Fixture fixture;
  std::vector<std::uint32_t> rows;
  Dataset weighted = fixture.data;
  for (std::uint32_t i = 0; i < weighted.rows; ++i) {
    weighted.weights.push_back(i % 3);
    rows.insert(rows.end(), i % 3, i);
  }
  const Evaluation once = tally_model(fixture.model, weighted, {}, kTallyAll);
  const Evaluation repeated =
      tally_model(fixture.model, select_rows(fixture.data, rows), {}, kTallyAll);
  for (const Metric& metric : all_metrics(false))
    EXPECT_NEAR(metric.value(once), metric.value(repeated), 1e-9) << metric.name();
}

TEST(Evaluation, IsTheSameForAnyNumberOfThreads) {
  Fixture fixture;
  const Dataset many = repeated_rows(fixture.data, 20'000);
  const Evaluation one = tally_model(fixture.model, many, {1, 0}, kTallyAll);
  const Evaluation three = tally_model(fixture.model, many, {3, 0}, kTallyAll);
  for (const Metric& metric : all_metrics(false))
    EXPECT_EQ(metric.value(one), metric.value(three)) << metric.name();
  EXPECT_EQ(one.confusion.cells(), three.confusion.cells());
}

TEST(Evaluation, OfManyBlocksAgreesWithOne) {
  Fixture fixture;
  const Evaluation once = tally_model(fixture.model, fixture.data, {}, kTallyAll);
  const Evaluation often =
      tally_model(fixture.model, repeated_rows(fixture.data, 10'000), {}, kTallyAll);
  for (const Metric& metric : all_metrics(false))
    EXPECT_NEAR(metric.value(once), metric.value(often), 1e-6) << metric.name();
}

TEST(Evaluation, RowsOfUnknownClassesAreErrors) {
  Fixture fixture;
  std::fill(fixture.data.labels.codes.begin(), fixture.data.labels.codes.end(), -1);
  const Evaluation evaluation = tally_model(fixture.model, fixture.data);
  EXPECT_EQ(evaluation.unknown_rows, 500U);
  EXPECT_DOUBLE_EQ(evaluation.counts.error(), 1);
  EXPECT_TRUE(std::isfinite(evaluation.log_loss.value()));
}

TEST(Evaluation, EveryMetricBearsUnknownClassesAndNoRows) {
  Fixture fixture;
  fixture.data.labels.codes[0] = -1;
  const Evaluation some = tally_model(fixture.model, fixture.data, {}, kTallyAll);
  for (const Metric& metric : all_metrics(false))
    EXPECT_TRUE(std::isfinite(metric.value(some))) << metric.name();
  const Evaluation none = tally_model(fixture.model, select_rows(fixture.data, {}), {}, kTallyAll);
  for (const Metric& metric : all_metrics(false))
    EXPECT_TRUE(std::isnan(metric.value(none))) << metric.name();
}

TEST(Evaluation, RefusesDataWithoutLabels) {
  Fixture fixture;
  fixture.data.labels.codes.clear();
  EXPECT_THROW(tally_model(fixture.model, fixture.data), DataError);
}

TEST(Evaluation, BlocksAreOfModerateSizeForAnyNumberOfClasses) {
  EXPECT_GE(rows_per_block(0), 1024U);
  EXPECT_EQ(rows_per_block(1'000'000'000), 1024U);
}

// Label k is there where x is above k.
Dataset staircase(std::size_t rows) {
  Dataset data;
  data.rows = rows;
  std::vector<double> x(rows);
  data.labels.classes = {"above 0", "above 1", "above 2"};
  data.labels.offsets = {0};
  for (std::size_t i = 0; i < rows; ++i) {
    x[i] = static_cast<double>(i % 8) / 2 - 0.75;
    for (std::int32_t k = 0; k < 3; ++k)
      if (x[i] > k) data.labels.codes.push_back(k);
    data.labels.offsets.push_back(data.labels.codes.size());
  }
  data.columns = {Column::numeric("x", x)};
  return data;
}

TEST(EvaluationOfSets, PerfectModelHasNoLoss) {
  const Dataset data = staircase(40);
  Parameters parameters;
  parameters.algorithm = "adaboost-mh";
  parameters.rounds = 30;
  const Model model = train(data, parameters);
  const Evaluation evaluation = tally_model(model, data);
  EXPECT_DOUBLE_EQ(evaluation.counts.pair_error(), 0);
  EXPECT_DOUBLE_EQ(evaluation.counts.micro_f1(), 1);
  EXPECT_LT(evaluation.log_loss.value(), 0.5);
  const Labels predicted = model.predict_labels(data);
  EXPECT_EQ(predicted.codes, data.labels.codes);
  EXPECT_EQ(predicted.offsets, data.labels.offsets);
}

TEST(EvaluationOfSets, RefusesDataWithOneLabelARow) {
  const Dataset data = staircase(16);
  Parameters parameters;
  parameters.algorithm = "adaboost-mh";
  const Model model = train(data, parameters);
  Dataset single = data;
  single.labels.offsets.clear();
  EXPECT_THROW(tally_model(model, single), DataError);
}

}  // namespace
}  // namespace simplexboost
