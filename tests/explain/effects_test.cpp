#include "simplexboost/effects.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/message_of.h"
#include "model/model_access.h"
#include "model/random_ensemble.h"
#include "simplexboost/error.h"
#include "simplexboost/evaluate.h"

namespace simplexboost {
namespace {

using testing::message_of;

Model some_model() {
  Ensemble ensemble = random_ensemble({5, 3, 3, 6, 1, 9}, 0);
  ensemble.schema.classes[0] = "class 0";
  return make_model(ensemble);
}

// Rows of the model's own classes, as it sees them.
Dataset some_rows(const Model& model, std::size_t rows) {
  Dataset data = random_data(model.schema(), rows, 5);
  data.labels.classes = model.schema().classes;
  data.labels.codes = model.predict(data);
  return data;
}

TEST(Effects, PartialDependenceIsTheMeanOfChangedRows) {
  const Model model = some_model();
  const Dataset data = some_rows(model, 60);
  for (const std::size_t feature : {0U, 2U}) {
    EffectOptions options;
    options.scores = true;
    options.individual = true;
    options.classes = {2, 0};
    options.points = 7;
    const Effect effect = partial_dependence(model, data, feature, options);
    EXPECT_TRUE(std::isnan(effect.grid.back()));  // some are missing
    for (std::size_t g = 0; g < effect.grid.size(); ++g) {
      Dataset changed = data;
      const FeatureSchema& schema = model.schema().features[feature];
      const double x = effect.grid[g];
      changed.columns[feature] =
          schema.type == FeatureType::kNumeric
              ? Column::numeric(schema.name, std::vector<double>(60, x))
              : Column::categorical(schema.name,
                                    std::vector<std::int32_t>(
                                        60, std::isnan(x) ? -1 : static_cast<std::int32_t>(x)),
                                    schema.categories);
      const Matrix scores = model.predict_scores(changed);
      for (std::size_t c = 0; c < 2; ++c) {
        double sum = 0;
        for (std::size_t i = 0; i < 60; ++i) {
          const double one = scores.row(i)[options.classes[c]];
          ASSERT_EQ(effect.curves[(i * effect.grid.size() + g) * 2 + c], one);
          sum += one;
        }
        ASSERT_NEAR(effect.values[g * 2 + c], sum / 60, 1e-12);
      }
    }
  }
}

// Where a feature acts alone, what is accumulated is what it does.
TEST(Effects, AccumulatedEffectsOfALinearTermAreTheTerm) {
  Ensemble ensemble;
  ensemble.schema.features = {{"x", FeatureType::kNumeric, {}}};
  ensemble.schema.classes = {"a", "b"};
  ensemble.bias = {0, 0};
  ensemble.forest.outputs = 2;
  const LinearFeature linear{0, -1, 1, 0, 0};
  append_linear(ensemble.forest, {&linear, 1}, std::vector<float>{0, 0}, std::vector<float>{4, -2},
                0);
  ensemble.forest.round_end = {1};
  const Model model = make_model(ensemble);
  Dataset data;
  data.rows = 41;
  std::vector<double> values;
  for (int i = -20; i <= 20; ++i) values.push_back(i / 20.0);
  data.columns = {Column::numeric("x", values)};
  EffectOptions options;
  options.scores = true;
  const Effect effect = accumulated_effect(model, data, 0, options);
  for (std::size_t g = 0; g < effect.grid.size(); ++g) {
    EXPECT_NEAR(effect.values[2 * g] - effect.values[0], 2 * (effect.grid[g] + 1), 1e-6);
    EXPECT_NEAR(effect.values[2 * g + 1] - effect.values[1], -(effect.grid[g] + 1), 1e-6);
  }
}

TEST(Effects, ShufflingCostsWhatTheMetricSays) {
  const Model model = some_model();
  const Dataset data = some_rows(model, 200);
  PermutationOptions options;
  options.metric = "error";
  options.repeats = 5;
  const PermutationImportance found = permutation_importance(model, data, options);
  EXPECT_EQ(found.value, 0);  // the labels are the model's own
  ASSERT_EQ(found.features.size(), 5U);
  double most = 0;
  for (const FeatureLoss& loss : found.features) {
    EXPECT_EQ(loss.repeats.size(), 5U);
    EXPECT_LE(loss.low, loss.mean);
    EXPECT_GE(loss.high, loss.mean);
    EXPECT_GE(loss.mean, 0);
    most = std::max(most, loss.mean);
  }
  EXPECT_GT(most, 0.02);
  options.threads = 3;
  const PermutationImportance again = permutation_importance(model, data, options);
  for (std::size_t f = 0; f < 5; ++f)
    EXPECT_EQ(again.features[f].repeats, found.features[f].repeats);
  options.metric = "macro-f1";  // more is better: the loss is still what is lost
  EXPECT_GE(permutation_importance(model, data, options).features[0].mean, 0);
}

TEST(Effects, SayWhatCannotBe) {
  const Model model = some_model();
  const Dataset data = some_rows(model, 10);
  EXPECT_EQ(message_of([&] { partial_dependence(model, data, 9); }),
            "the model has no feature 9: it has 5");
  EXPECT_EQ(message_of([&] { accumulated_effect(model, data, 2); }),
            "'x2' has categories, which have no order to accumulate effects along; partial "
            "dependence has no need of one");
  EXPECT_EQ(message_of([&] { partial_dependence(model, some_rows(model, 0), 0); }),
            "no rows to take effects from");
  EXPECT_EQ(message_of([&] {
              permutation_importance(model, data, {0, "", 1});
            }),
            "permutation importance takes 2 to 10000 repeats, not 1");
  EXPECT_EQ(message_of([&] {
              permutation_importance(model, data, {0, "", 3, 0, 0, {7}});
            }),
            "the model has no feature 7: it has 5");
}

}  // namespace
}  // namespace simplexboost
