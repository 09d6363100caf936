#include "metric/evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "model/random_ensemble.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

struct Fixture {
  Random random{7};
  Ensemble ensemble = random_ensemble({}, 7);
  Model model{std::make_shared<const Ensemble>(ensemble)};
  Dataset data = random_data(ensemble.schema, 500, 8);

  Fixture() {
    data.labels.classes = ensemble.schema.classes;
    for (std::size_t i = 0; i < data.rows; ++i) {
      data.labels.codes.push_back(static_cast<std::int32_t>(random.below(4)));
    }
  }
};

TEST(Evaluation, AgreesWithPredictions) {
  Fixture fixture;
  const Evaluation evaluation = evaluate(fixture.model, fixture.data);
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
  EXPECT_DOUBLE_EQ(evaluation.confusion.error(), static_cast<double>(wrong) / 500);
  EXPECT_NEAR(evaluation.log_loss.value(), loss.value(), 1e-6);
}

TEST(Evaluation, WholeWeightsCountAsRepeatedRows) {
  Fixture fixture;
  std::vector<std::uint32_t> rows;
  Dataset weighted = fixture.data;
  for (std::uint32_t i = 0; i < weighted.rows; ++i) {
    weighted.weights.push_back(i % 3);
    rows.insert(rows.end(), i % 3, i);
  }
  const Evaluation once = evaluate(fixture.model, weighted);
  const Evaluation repeated = evaluate(fixture.model, select_rows(fixture.data, rows));
  EXPECT_NEAR(once.confusion.error(), repeated.confusion.error(), 1e-12);
  EXPECT_NEAR(once.confusion.balanced_error(), repeated.confusion.balanced_error(), 1e-12);
  EXPECT_NEAR(once.log_loss.value(), repeated.log_loss.value(), 1e-9);
}

TEST(Evaluation, RowsOfUnknownClassesAreErrors) {
  Fixture fixture;
  std::fill(fixture.data.labels.codes.begin(), fixture.data.labels.codes.end(), -1);
  const Evaluation evaluation = evaluate(fixture.model, fixture.data);
  EXPECT_EQ(evaluation.unknown_rows, 500U);
  EXPECT_DOUBLE_EQ(evaluation.confusion.error(), 1);
  EXPECT_TRUE(std::isfinite(evaluation.log_loss.value()));
}

TEST(Evaluation, RefusesDataWithoutLabels) {
  Fixture fixture;
  fixture.data.labels.codes.clear();
  EXPECT_THROW(evaluate(fixture.model, fixture.data), DataError);
}

TEST(Evaluation, BlocksAreOfModerateSizeForAnyNumberOfClasses) {
  EXPECT_GE(rows_per_block(0), 1024U);
  EXPECT_EQ(rows_per_block(1'000'000'000), 1024U);
}

}  // namespace
}  // namespace simplexboost
