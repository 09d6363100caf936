#include "simplexboost/certainty.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/message_of.h"
#include "base/random.h"
#include "boosting/labelled_data.h"
#include "model/file/serialization.h"
#include "model/model_access.h"
#include "model/random_ensemble.h"
#include "simplexboost/error.h"
#include "simplexboost/evaluate.h"
#include "simplexboost/generate.h"
#include "simplexboost/quality.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::message_of;

Dataset waveform(std::size_t rows, std::uint64_t seed) {
  GeneratorSpec spec;
  spec.name = "waveform";
  spec.rows = rows;
  spec.seed = seed;
  return generate(spec, 1);
}

Model small_model(const Dataset& data, int rounds = 15) {
  Parameters parameters;
  parameters.rounds = rounds;
  parameters.threads = 1;
  return train(data, parameters);
}

TEST(PredictTop, IsTheBeginningOfAllClassesInOrder) {
  const Dataset data = waveform(300, 1);
  const Model model = small_model(data);
  const Matrix proba = model.predict_proba(data);
  const TopClasses top = predict_top(model, data, 2);
  for (std::size_t i = 0; i < data.rows; ++i) {
    const float* p = proba.row(i);
    EXPECT_EQ(top.classes[2 * i], std::max_element(p, p + 3) - p);
    EXPECT_EQ(top.probabilities[2 * i], p[top.classes[2 * i]]);
    EXPECT_LE(top.probabilities[2 * i + 1], top.probabilities[2 * i]);
  }
  EXPECT_NE(message_of([&] { predict_top(model, data, 4); }).find("from 1 to 3"),
            std::string::npos);
}

TEST(PredictLeastCost, IsThatOfBruteForce) {
  const Dataset data = waveform(300, 2);
  const Model model = small_model(data);
  const std::vector<float> costs{0, 1, 5, 2, 0, 1, 10, 3, 0};
  const Matrix proba = model.predict_proba(data);
  const CostlyDecision decision = predict_least_cost(model, data, costs, 0.5);
  std::size_t open = 0;
  for (std::size_t i = 0; i < data.rows; ++i) {
    double least = 1e9;
    std::int32_t best = -1;
    for (std::size_t k = 0; k < 3; ++k) {
      double sum = 0;
      for (std::size_t t = 0; t < 3; ++t)
        sum += static_cast<double>(proba.row(i)[t]) * static_cast<double>(costs[t * 3 + k]);
      if (sum < least) {
        least = sum;
        best = static_cast<std::int32_t>(k);
      }
    }
    EXPECT_NEAR(decision.costs[i], least, 1e-5);
    EXPECT_EQ(decision.classes[i], least > 0.5 ? -1 : best);
    open += least > 0.5 ? 1U : 0U;
  }
  EXPECT_GT(open, 0U);
  EXPECT_LT(open, data.rows);
}

TEST(PredictLeastCost, RefusesABoundThatIsNoNumber) {
  const Dataset data = waveform(60, 2);
  const std::vector<float> costs{0, 1, 1, 1, 0, 1, 1, 1, 0};
  EXPECT_THROW(predict_least_cost(small_model(data, 2), data, costs, NAN), ParameterError);
}

TEST(PredictLeastCost, RefusesCostsThatAreNone) {
  const Dataset data = waveform(50, 2);
  const Model model = small_model(data, 2);
  EXPECT_NE(message_of([&] {
              predict_least_cost(model, data, std::vector<float>{0, 1});
            }).find("give 3 x 3"),
            std::string::npos);
  std::vector<float> costs(9, 1);
  costs[4] = -1;
  EXPECT_THROW(predict_least_cost(model, data, costs), ParameterError);
}

TEST(PredictSets, NeedRowsThatTheModelHadNotSeen) {
  const Dataset data = waveform(200, 3);
  const Model model = small_model(data, 3);
  EXPECT_FALSE(has_sets(model));
  EXPECT_NE(message_of([&] { predict_sets(model, data, {}); }).find("calibrate"),
            std::string::npos);
}

TEST(PredictSets, HoldTheTruthAfterPlainTraining) {
  const Dataset data = waveform(1500, 4);
  const Dataset fresh = waveform(4000, 5);
  Parameters parameters;
  parameters.threads = 2;
  QualityOptions options;
  options.quality = Quality::kDefault;
  const Model model = train_quality(data, parameters, options).model;
  for (const bool per_class : {false, true}) {
    const ClassSets sets = predict_sets(model, fresh, {0.9, per_class, false});
    double held = 0;
    for (std::size_t i = 0; i < fresh.rows; ++i)
      held += std::count(sets.classes.begin() + static_cast<std::ptrdiff_t>(sets.offsets[i]),
                         sets.classes.begin() + static_cast<std::ptrdiff_t>(sets.offsets[i + 1]),
                         fresh.labels.codes[i]) > 0
                  ? 1
                  : 0;
    EXPECT_NEAR(held / static_cast<double>(fresh.rows), 0.9, 0.025) << per_class;
  }
  const ClassSets never = predict_sets(model, fresh, {0.5, false, true});
  for (std::size_t i = 0; i < fresh.rows; ++i) EXPECT_GT(never.offsets[i + 1], never.offsets[i]);
}

TEST(Calibrate, LowersTheLogLossOfAModelThatIsTooSure) {
  const Dataset data = waveform(300, 6);
  const Dataset other = waveform(1500, 7);
  const Dataset fresh = waveform(3000, 8);
  const Model model = small_model(data, 300);
  const CalibrationResult result = calibrate(model, other);
  EXPECT_NE(result.method, "none");
  const double before = evaluate(model, fresh).metric("log-loss");
  const double after = evaluate(result.model, fresh).metric("log-loss");
  EXPECT_LT(after, 0.9 * before);
  EXPECT_EQ(calibration_of(result.model), result.method);
  ASSERT_TRUE(result.model.estimate());
  EXPECT_TRUE(has_sets(result.model));
  EXPECT_EQ(uncalibrated(result.model).predict_proba(fresh).values,
            model.predict_proba(fresh).values);
}

TEST(Calibrate, ClassesAreThoseOfTheCalibratedProbabilities) {
  const Dataset data = waveform(200, 9);
  const Dataset other = waveform(800, 10);
  const Model model = small_model(data, 30);
  for (const char* method : {"temperature", "vector", "isotonic"}) {
    CalibrateOptions options;
    options.method = method;
    const Model calibrated = calibrate(model, other, options).model;
    const Matrix proba = calibrated.predict_proba(other);
    const std::vector<std::int32_t> classes = calibrated.predict(other);
    const Model copy = Model::from_bytes(calibrated.to_bytes());
    EXPECT_EQ(copy.predict_proba(other).values, proba.values) << method;
    std::vector<float> row(3);
    std::vector<double> features(other.columns.size());
    for (std::size_t i = 0; i < 50; ++i) {
      EXPECT_NEAR(std::accumulate(proba.row(i), proba.row(i) + 3, 0.0F), 1, 1e-5);
      EXPECT_EQ(classes[i], std::max_element(proba.row(i), proba.row(i) + 3) - proba.row(i));
      for (std::size_t f = 0; f < features.size(); ++f)
        other.columns[f].copy(i, i + 1, &features[f]);
      calibrated.predict_row(features, row);
      calibrated.scores_to_proba(row);
      EXPECT_EQ(row, std::vector<float>(proba.row(i), proba.row(i) + 3)) << method;
    }
  }
}

TEST(Calibrate, RefusesFewRowsAndUnknownMethods) {
  const Dataset data = waveform(100, 11);
  const Model model = small_model(data, 3);
  EXPECT_NE(message_of([&] { calibrate(model, waveform(5, 1)); }).find("too few"),
            std::string::npos);
  CalibrateOptions options;
  options.method = "isotonc";
  EXPECT_NE(message_of([&] { calibrate(model, data, options); }).find("isotonic"),
            std::string::npos);
}

TEST(Calibrate, RefusesRowsThatSayNothing) {
  Dataset data = waveform(100, 11);
  const Model model = small_model(data, 3);
  Dataset weightless = data;
  weightless.weights.assign(data.rows, 0);
  std::fill(weightless.weights.begin(), weightless.weights.begin() + 9, 1.0);
  EXPECT_NE(message_of([&] { calibrate(model, weightless); }).find("9 rows of known labels"),
            std::string::npos);
  std::fill(data.labels.codes.begin(), data.labels.codes.begin() + 91, -1);
  EXPECT_NE(message_of([&] { calibrate(model, data); }).find("9 rows of known labels"),
            std::string::npos);
  data.labels.codes[0] = 0;
  EXPECT_TRUE(has_sets(calibrate(model, data).model));
}

TEST(Calibrate, AFactorOfWeightsChangesNothing) {
  Dataset data = waveform(300, 12);
  const Model model = small_model(data, 30);
  for (std::size_t i = 0; i < data.rows; ++i)
    data.weights.push_back(static_cast<double>(i % 3 + 1) / 2);
  for (const char* method : {"temperature", "vector", "isotonic"}) {
    CalibrateOptions options;
    options.method = method;
    const auto bytes = calibrate(model, data, options).model.to_bytes();
    for (const double factor : {0x1p-1000, 0x1p-500, 0x1p500, 0x1p1022}) {
      Dataset scaled = data;
      for (double& weight : scaled.weights) weight *= factor;
      EXPECT_EQ(calibrate(model, scaled, options).model.to_bytes(), bytes) << method << factor;
    }
  }
}

// Rows of two normal classes, x ~ N(+-1, 1), with a share of the second.
Dataset two_normals(std::size_t rows, double share, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> x;
  Dataset data;
  data.rows = rows;
  data.labels.classes = {"a", "b"};
  data.labels.columns = {"class"};
  for (std::size_t i = 0; i < rows; ++i) {
    const bool second = random.uniform() < share;
    data.labels.codes.push_back(second ? 1 : 0);
    x.push_back(random.normal() + (second ? 1 : -1));
  }
  data.columns.push_back(Column::numeric("x", x));
  return data;
}

TEST(Priors, AreFoundAmongRowsWithoutLabels) {
  const Dataset data = two_normals(4000, 0.5, 1);
  const Dataset shifted = two_normals(4000, 0.9, 2);
  Parameters parameters;
  parameters.rounds = 30;
  parameters.learning_rate = 0.2;
  const Model model = train(data, parameters);
  EXPECT_NEAR(class_shares(model)[1], 0.5, 0.03);
  const std::vector<double> priors = estimate_priors(model, shifted);
  EXPECT_NEAR(priors[1], 0.9, 0.03);
  const double before = evaluate(model, shifted).metric("error");
  const Model moved = with_priors(model, priors);
  EXPECT_LT(evaluate(moved, shifted).metric("error"), 0.75 * before);
  EXPECT_EQ(with_priors(moved, {}).predict_proba(data).values, model.predict_proba(data).values);
}

TEST(Priors, OfAnyCommonScaleAreTheSame) {
  const Dataset data = waveform(100, 1);
  const Model model = small_model(data, 2);
  const std::vector<float> even = with_priors(model, {1, 1, 1}).predict_proba(data).values;
  for (const double scale : {1e-300, 1e308, std::numeric_limits<double>::max()})
    EXPECT_EQ(with_priors(model, {scale, scale, scale}).predict_proba(data).values, even) << scale;
}

TEST(Priors, RefuseSharesThatAreNone) {
  const Model model = small_model(waveform(100, 1), 2);
  EXPECT_THROW(with_priors(model, {0.5, 0.5}), ParameterError);
  EXPECT_THROW(with_priors(model, {0.5, -0.5, 1}), ParameterError);
  EXPECT_THROW(with_priors(model, {0, 0, 0}), ParameterError);
  const Model sets = small_model(testing::multi_label_data({60, 3, 3, false, 0.1}, 1), 2);
  EXPECT_NE(message_of([&] {
              with_priors(sets, {0.5, 2, 0.1});
            }).find("priors: 2 is no share"),
            std::string::npos);
  EXPECT_NO_THROW(with_priors(sets, {0.5, 1, 0.9}));
}

TEST(Priors, OfModelsWithoutProbabilitiesSayWhy) {
  Parameters parameters;
  parameters.algorithm = "gd-mcboost";
  parameters.codewords = "maxmin";
  parameters.dimension = 2;
  parameters.rounds = 2;
  const Model model = train(testing::labelled_data({100, 4, 3, false, 0.1}, 1), parameters);
  EXPECT_NE(message_of([&] {
              with_priors(model, {1, 1, 1, 1});
            }).find("Lemma 3"),
            std::string::npos);
}

TEST(Suspects, ArePlantedLabels) {
  Dataset data = two_normals(1000, 0.5, 3);
  std::vector<bool> planted(1000);
  std::vector<double> x(1000);
  data.columns[0].copy(0, 1000, x.data());
  std::size_t count = 0;
  for (std::size_t i = 0; i < 1000; i += 10) {
    if (std::fabs(x[i]) < 1) continue;  // where nobody could tell
    data.labels.codes[i] = x[i] > 0 ? 0 : 1;
    planted[i] = true;
    ++count;
  }
  QualityOptions options;
  options.quality = Quality::kDefault;
  const Matrix proba = train_quality(data, {}, options).oof_proba;
  const std::vector<Suspect> suspects = rank_suspects(proba, data.labels);
  ASSERT_EQ(suspects.size(), 1000U);
  std::size_t found = 0;
  for (std::size_t j = 0; j < count; ++j) found += planted[suspects[j].row] ? 1U : 0U;
  EXPECT_GT(static_cast<double>(found), 0.6 * static_cast<double>(count));
  EXPECT_EQ(suspects[0].likelier, 1 - suspects[0].label);
  EXPECT_GT(suspects[0].wrong, suspects[999].wrong);
}

TEST(Suspects, OfLaterTurnsAreJudgedByRowsThatTheTurnsBeforeTrust) {
  Labels labels;
  labels.classes = {"a", "b"};
  for (int i = 0; i < 100; ++i) labels.codes.push_back(i % 2);
  labels.codes[6] = 1;
  // Row 7 is told right by the first turn and wrong by the others.
  const auto proba = [&](int turn) {
    Matrix matrix{100, 2, std::vector<float>(200)};
    for (std::size_t i = 0; i < 100; ++i) {
      const bool odd = i % 2 == 1 && !(i == 7 && turn > 0);
      matrix.values[2 * i] = odd ? 0.01F : 0.99F;
      matrix.values[2 * i + 1] = 1 - matrix.values[2 * i];
    }
    return matrix;
  };
  std::vector<std::vector<double>> trusted;
  const std::vector<Suspect> suspects =
      find_suspects(labels, [&](const std::vector<double>& trust, int turn) {
        trusted.push_back(trust);
        return proba(turn);
      });
  ASSERT_EQ(trusted.size(), 3U);
  EXPECT_TRUE(trusted[0].empty());
  EXPECT_LT(trusted[1][6], 0.5);
  EXPECT_GT(trusted[1][7], 0.9);
  EXPECT_LT(trusted[2][7], 0.5);
  EXPECT_GT(trusted[2][8], 0.9);
  ASSERT_EQ(suspects.size(), 100U);
  EXPECT_EQ(suspects[0].row, 6U);
  EXPECT_EQ(suspects[1].row, 7U);
  EXPECT_NEAR(suspects[1].likelier_probability, 0.99, 1e-6);  // the first turn has no say
  EXPECT_TRUE(
      find_suspects(labels, [](const std::vector<double>&, int) { return Matrix{}; }).empty());
}

TEST(CertaintyFields, OfUnsoundModelsAreRefused) {
  const Model model = calibrate(small_model(waveform(100, 1), 3), waveform(200, 2)).model;
  const auto refused = [&](const auto& change) {
    Ensemble ensemble = ensemble_of(model);
    change(ensemble);
    const std::string bytes = serialize(ensemble);
    EXPECT_THROW(deserialize(std::as_bytes(std::span(bytes))), ModelError);
  };
  refused([](Ensemble& e) { e.class_shares.pop_back(); });
  refused([](Ensemble& e) { e.class_shares[0] = 2; });
  refused([](Ensemble& e) { e.map = {"vector", {1, 1}, {}, {}, {}, {}}; });
  refused([](Ensemble& e) { e.map = {"vector", {1, -1, 1}, {}, {}, {}, {}}; });
  refused([](Ensemble& e) { e.map = {"vector", {NAN}, {}, {}, {}, {}}; });
  refused([](Ensemble& e) { e.map = {"isotonic", {}, {}, {1, 2, 2}, {0, 1}, {0, 1}}; });
  refused([](Ensemble& e) { e.map = {"isotonic", {}, {}, {2, 3, 4}, {1, 0, 0, 0}, {0, 1, 0, 0}}; });
  refused([](Ensemble& e) { e.priors = {0.5, 0.5}; });
  refused([](Ensemble& e) { e.sets.penalty = -1; });
  refused([](Ensemble& e) { e.sets.all.score.back() = INFINITY; });
  refused([](Ensemble& e) { std::reverse(e.sets.all.score.begin(), e.sets.all.score.end()); });
  refused([](Ensemble& e) { e.sets.classes.pop_back(); });
  refused([](Ensemble& e) { e.sets.all = {}; });
}

}  // namespace
}  // namespace simplexboost
