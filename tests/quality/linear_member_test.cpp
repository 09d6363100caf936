#include "quality/linear/linear_member.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "boosting/labelled_data.h"
#include "data/rows/folds.h"
#include "model/file/serialization.h"
#include "model/model_access.h"
#include "quality/linear/linear_inputs.h"
#include "quality/linear/logistic_fit.h"
#include "simplexboost/quality.h"

namespace simplexboost {
namespace {

using testing::labelled_data;

std::vector<std::uint32_t> all_rows(const Dataset& data) {
  std::vector<std::uint32_t> rows(data.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

// Two classes, parted by the sum of many features, with which trees have a hard time.
Dataset sum_data(std::size_t rows, std::uint64_t seed) {
  Random random(seed);
  constexpr std::size_t kFeatures = 12;
  Dataset data;
  data.rows = rows;
  data.labels.classes = {"below", "above"};
  data.labels.columns = {"class"};
  std::vector<double> sum(rows);
  for (std::size_t f = 0; f < kFeatures; ++f) {
    std::vector<double> x(rows);
    for (std::size_t i = 0; i < rows; ++i) sum[i] += x[i] = random.normal();
    data.columns.push_back(Column::numeric("x" + std::to_string(f), x));
  }
  for (const double s : sum) data.labels.codes.push_back(s + random.normal() > 0 ? 1 : 0);
  return data;
}

// The class is whether two signs are the same: no feature says anything on its own.
Dataset sign_data(std::size_t rows, std::uint64_t seed) {
  Dataset data = sum_data(rows, seed);
  std::vector<double> x(rows), y(rows);
  data.columns[0].copy(0, rows, x.data());
  data.columns[1].copy(0, rows, y.data());
  for (std::size_t i = 0; i < rows; ++i) data.labels.codes[i] = (x[i] > 0) == (y[i] > 0) ? 1 : 0;
  return data;
}

Matrix even_probabilities(const Dataset& data) {
  const std::size_t classes = data.labels.classes.size();
  return {data.rows, classes,
          std::vector<float>(data.rows * classes, 1 / static_cast<float>(classes))};
}

// At the least loss its slope is 0; the loss here is that of the definition, in double.
TEST(LogisticFit, FindsTheLeastLoss) {
  Dataset data = labelled_data({150, 3, 3, true, 0.3}, 1);
  Random random(2);
  for (std::size_t i = 0; i < data.rows; ++i) data.weights.push_back(0.2 + random.uniform());
  const LinearInputs inputs(data);
  const std::vector<std::uint32_t> rows = all_rows(data);
  LogisticCoefficients found;
  constexpr double kPenalty = 3;
  fit_logistic({inputs, data.labels, data.weights}, rows, kPenalty, 1000, found);
  const auto loss = [&](const LogisticCoefficients& x) {
    double sum = 0;
    double total = 0;
    for (std::size_t i = 0; i < data.rows; ++i) {
      double u[3] = {x[0], x[1], x[2]};
      for (const LinearInputs::Entry& entry : inputs.row(i))
        for (std::size_t k = 0; k < 3; ++k)
          u[k] += static_cast<double>(entry.value) * x[3 + 3 * entry.input + k];
      const double all = std::exp(u[0]) + std::exp(u[1]) + std::exp(u[2]);
      sum += data.weights[i] * (std::log(all) - u[data.labels.codes[i]]);
      total += data.weights[i];
    }
    double squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i) squares += x[i] * x[i] * (i < 3 ? 0.01 : 1);
    return sum / total + kPenalty * squares / 2 / static_cast<double>(data.rows);
  };
  const double least = loss(found);
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const double step : {-0.3, 0.3}) {
      LogisticCoefficients moved = found;
      moved[i] += step;
      EXPECT_GT(loss(moved), least) << i;
    }
}

// Numbers beyond their range and missing ones, categories that are missing or were never seen.
TEST(LinearInputs, TheForestSaysWhatTheInputsDo) {
  Dataset data = labelled_data({200, 3, 4, true, 0.3}, 1);
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<double> strange(data.rows);
  data.columns[0].copy(0, data.rows, strange.data());
  strange[3] = inf;
  strange[4] = -inf;
  strange[5] = 1e300;
  data.columns[0] = Column::numeric("x0", strange);
  const LinearInputs inputs(data);
  EXPECT_EQ(inputs.count(), 4U + 12U);
  Random random(3);
  LogisticCoefficients coefficients(3 * (inputs.count() + 1));
  for (double& value : coefficients) value = random.normal();
  Ensemble ensemble;
  ensemble.schema = data.schema();
  ensemble.bias.assign(3, 0);
  ensemble.forest =
      inputs.to_forest(std::span(coefficients).first(3), std::span(coefficients).subspan(3));
  EXPECT_EQ(ensemble.forest.leaf_cover.size(), ensemble.forest.leaves());
  const Model model = make_model(std::move(ensemble));
  Matrix expected{data.rows, 3, std::vector<float>(data.rows * 3)};
  predict_logistic({inputs, data.labels, data.weights}, all_rows(data), coefficients, expected);
  const Matrix found = model.predict_proba(data);
  for (std::size_t i = 0; i < found.values.size(); ++i)
    EXPECT_NEAR(found.values[i], expected.values[i], 2e-5) << i;
}

TEST(LinearInputs, FeaturesThatSayNothingHaveNone) {
  constexpr std::size_t kRows = 40;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Dataset data;
  data.rows = kRows;
  data.labels.classes = {"a", "b"};
  data.labels.columns = {"class"};
  for (std::size_t i = 0; i < kRows; ++i) data.labels.codes.push_back(i % 2 == 0 ? 0 : 1);
  std::vector<double> ends(kRows, -1.7e308);
  for (std::size_t i = 0; i < kRows; i += 3) ends[i] = 1.7e308;
  data.columns = {Column::numeric("constant", std::vector<double>(kRows, 7)),
                  Column::numeric("missing", std::vector<double>(kRows, nan)),
                  Column::numeric("ends", ends),
                  Column::categorical("one", std::vector<std::int32_t>(kRows, 0), {"only"})};
  EXPECT_EQ(LinearInputs(data).count(), 0U);
  const std::vector<std::uint16_t> folds = make_folds(data.labels, kRows, {4, 0, true, {}});
  const Matrix even = even_probabilities(data);
  EXPECT_NE(linear_fit(data, folds, 4, 1, &even).left_out, "");
}

TEST(LinearInputs, CategoriesAreInputsAsLongAsThereAreNotTooManyCoefficients) {
  constexpr std::size_t kRows = 2000;
  const auto column = [](const std::string& name, std::size_t count) {
    std::vector<std::int32_t> codes;
    for (std::size_t i = 0; i < kRows; ++i) codes.push_back(static_cast<std::int32_t>(i % count));
    std::vector<std::string> categories;
    for (std::size_t c = 0; c < count; ++c) categories.push_back("v" + std::to_string(c));
    return Column::categorical(name, codes, categories);
  };
  Dataset data;
  data.rows = kRows;
  data.labels.columns = {"class"};
  data.labels.classes = {"a", "b"};
  for (std::size_t i = 0; i < kRows; ++i) data.labels.codes.push_back(i % 2 == 0 ? 0 : 1);
  data.columns = {column("few", 64), column("many", 500), column("names", 1001)};
  EXPECT_EQ(LinearInputs::most_inputs(data), 564U);
  EXPECT_EQ(LinearInputs(data).count(), 564U);
  for (std::size_t k = 2; k < 300; ++k) data.labels.classes.push_back("c" + std::to_string(k));
  EXPECT_EQ(LinearInputs::most_inputs(data), 64U);
  EXPECT_EQ(LinearInputs(data).count(), 64U);
}

TEST(LinearMember, TakesPartWhereClassesArePartedByASum) {
  const Dataset data = sum_data(300, 1);
  QualityOptions options;
  options.quality = Quality::kDefault;
  Parameters parameters;
  parameters.threads = 1;
  const QualityResult result = train_quality(data, parameters, options);
  double weight = 0;
  for (const MemberWeight& member : result.model.members())
    if (member.name.starts_with("linear")) weight = member.weight;
  EXPECT_GT(weight, 0.5);
  parameters.threads = 3;
  EXPECT_EQ(serialize(ensemble_of(train_quality(data, parameters, options).model)),
            serialize(ensemble_of(result.model)));
}

TEST(LinearMember, IsNotFittedWhereATrialFindsNothing) {
  // So many rows that a trial on some of them comes first.
  const Dataset data = sign_data(60'000, 1);
  const std::vector<std::uint16_t> folds = make_folds(data.labels, data.rows, {3, 0, true, {}});
  Matrix first = even_probabilities(data);
  for (std::size_t i = 0; i < data.rows; ++i)
    for (std::size_t k = 0; k < 2; ++k)
      first.row(i)[k] = data.labels.codes[i] == static_cast<std::int32_t>(k) ? 0.9F : 0.1F;
  EXPECT_NE(linear_fit(data, folds, 3, 1, &first).left_out, "");
}

}  // namespace
}  // namespace simplexboost
