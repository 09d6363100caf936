#include "learner/linear_learner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "learner/packed_hypothesis.h"
#include "simplexboost/error.h"
#include "tree/random_problem.h"

namespace simplexboost {
namespace {

using testing::packed_values;
using testing::ProblemShape;
using testing::random_problem;
using testing::RandomProblem;

ProblemShape linear_shape(std::uint64_t seed) {
  ProblemShape shape;
  shape.rows = 5 + seed % 60;
  shape.width = 1 + seed % 4;
  shape.features = 6;
  shape.categories = seed % 3 == 0 ? 5 : 0;
  shape.numbers = 3 + seed % 9;
  return shape;
}

// The column with missing values replaced by the weighted mean of the others.
std::vector<double> imputed(const RandomProblem& problem, std::size_t feature) {
  std::vector<double> x(problem.data.rows);
  problem.data.columns[feature].copy(0, x.size(), x.data());
  double sum = 0;
  double weight = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) continue;
    sum += static_cast<double>(problem.weights[i]) * x[i];
    weight += static_cast<double>(problem.weights[i]);
  }
  for (double& value : x)
    if (std::isnan(value)) value = weight > 0 ? sum / weight : 0;
  return x;
}

// Solves a small system by elimination with pivoting; false if it is singular.
bool eliminate(std::vector<std::vector<double>> a, std::vector<double> b, std::vector<double>& x) {
  const std::size_t n = b.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t p = c;
    for (std::size_t r = c; r < n; ++r)
      if (std::abs(a[r][c]) > std::abs(a[p][c])) p = r;
    if (std::abs(a[p][c]) < 1e-9) return false;
    std::swap(a[p], a[c]);
    std::swap(b[p], b[c]);
    for (std::size_t r = c + 1; r < n; ++r) {
      const double f = a[r][c] / a[c][c];
      for (std::size_t k = c; k < n; ++k) a[r][k] -= f * a[c][k];
      b[r] -= f * b[c];
    }
  }
  x.assign(n, 0);
  for (std::size_t r = n; r-- > 0;) {
    x[r] = b[r];
    for (std::size_t k = r + 1; k < n; ++k) x[r] -= a[r][k] * x[k];
    x[r] /= a[r][r];
  }
  return true;
}

// What least squares of R / w on the given columns and a constant explains: sum_k b_k' X'R_k, the
// fall of the sum of squares. Negative if the columns determine each other.
double explained(const RandomProblem& problem, const std::vector<std::vector<double>>& columns) {
  const std::size_t size = columns.size() + 1;
  double total = 0;
  for (std::size_t k = 0; k < problem.width; ++k) {
    std::vector<std::vector<double>> a(size, std::vector<double>(size));
    std::vector<double> b(size);
    for (std::size_t i = 0; i < problem.data.rows; ++i) {
      std::vector<double> x{1};
      for (const auto& column : columns) x.push_back(column[i]);
      for (std::size_t r = 0; r < size; ++r) {
        for (std::size_t c = 0; c < size; ++c)
          a[r][c] += static_cast<double>(problem.weights[i]) * x[r] * x[c];
        b[r] += x[r] * static_cast<double>(problem.pulls[i * problem.width + k]);
      }
    }
    std::vector<double> solution;
    if (!eliminate(a, b, solution)) return -1;
    total += std::inner_product(solution.begin(), solution.end(), b.begin(), 0.0);
  }
  return total;
}

// The same for a hypothesis h: sum 2 <h, R> - w |h|^2, which the least squares fit makes largest.
double explained_by(const RowVectors& h, const RandomProblem& problem) {
  double total = 0;
  for (std::size_t i = 0; i < problem.data.rows; ++i)
    for (std::size_t k = 0; k < problem.width; ++k) {
      const auto value = static_cast<double>(h.of(i)[k]);
      total += 2 * value * static_cast<double>(problem.pulls[i * problem.width + k]) -
               static_cast<double>(problem.weights[i]) * value * value;
    }
  return total;
}

LinearLearner learner_for(const RandomProblem& problem, const BinnedDataset& binned, int features,
                          double l2 = 0) {
  return LinearLearner({problem.data, binned}, {features, l2});
}

TEST(LinearLearner, OneFeatureIsTheBestLineOfAll) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    const RandomProblem problem = random_problem(linear_shape(seed), random);
    const BinnedDataset binned = problem.binned();
    LinearLearner learner = learner_for(problem, binned, 1);
    const double got = explained_by(learner.fit({problem.target()}, {}), problem);
    double best = std::max(0.0, explained(problem, {}));
    for (std::size_t f = 0; f < problem.data.columns.size(); ++f)
      if (problem.data.columns[f].schema.type == FeatureType::kNumeric)
        best = std::max(best, explained(problem, {imputed(problem, f)}));
    EXPECT_NEAR(got, best, 1e-4 * (1 + best)) << seed;
  }
}

TEST(LinearLearner, SeveralFeaturesAreForwardSelection) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    ProblemShape shape = linear_shape(seed);
    shape.rows += 20;
    const RandomProblem problem = random_problem(shape, random);
    const BinnedDataset binned = problem.binned();
    LinearLearner learner = learner_for(problem, binned, 3);
    const double got = explained_by(learner.fit({problem.target()}, {}), problem);
    std::vector<std::vector<double>> columns;
    double best = std::max(0.0, explained(problem, {}));
    for (std::size_t step = 0; step < 3; ++step) {
      std::size_t choice = problem.data.columns.size();
      for (std::size_t f = 0; f < problem.data.columns.size(); ++f) {
        if (problem.data.columns[f].schema.type != FeatureType::kNumeric) continue;
        columns.push_back(imputed(problem, f));
        const double gained = explained(problem, columns);
        columns.pop_back();
        if (gained <= best + 1e-9) continue;
        best = gained;
        choice = f;
      }
      if (choice == problem.data.columns.size()) break;
      columns.push_back(imputed(problem, choice));
    }
    EXPECT_NEAR(got, best, 1e-4 * (1 + best)) << seed;
    EXPECT_LE(learner.features().size(), 3U);
  }
}

TEST(LinearLearner, ModelSaysWhatTheLearnerSays) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const ProblemShape shape = linear_shape(seed);
    const RandomProblem problem = random_problem(shape, random);
    const BinnedDataset binned = problem.binned();
    LinearLearner learner = learner_for(problem, binned, 2, 0.1);
    const RowVectors fitted = learner.fit({problem.target()}, {});
    const Matrix packed = packed_values(learner, problem.data, shape.width, 2);
    for (std::size_t i = 0; i < shape.rows; ++i)
      for (std::size_t k = 0; k < shape.width; ++k)
        ASSERT_NEAR(packed.row(i)[k], 2 * fitted.of(i)[k], 1e-5 * (1 + std::abs(fitted.of(i)[k])));
    const RowVectors applied = learner.apply({problem.data, binned});
    for (std::size_t i = 0; i < shape.rows * shape.width; ++i)
      ASSERT_EQ(applied.values[i], fitted.values[i]);
  }
}

TEST(LinearLearner, EachChannelIsSolvedWithItsOwnCurvature) {
  Dataset data;
  data.rows = 4;
  data.columns = {Column::numeric("x", {0, 1, 2, 3})};
  // Channel 0 sees rows 0 and 3 only, channel 1 rows 1 and 2: two points each, so two exact lines.
  const std::vector<float> curvature{1, 0, 0, 1, 0, 1, 1, 0};
  const std::vector<float> pulls{1, 0, 0, 5, 0, 4, 7, 0};
  const BinnedDataset binned(data, choose_bins(data, {256, 1}), 1);
  LinearLearner learner({data, binned}, {1, 0});
  const RowVectors h = learner.fit({{4, 2, pulls.data(), nullptr, curvature.data()}}, {});
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(h.of(i)[0], 1 + 2 * static_cast<double>(i), 1e-5);
    EXPECT_NEAR(h.of(i)[1], 6 - static_cast<double>(i), 1e-5);
  }
}

TEST(LinearLearner, PenaltyShrinksTheSlope) {
  Dataset data;
  data.rows = 3;
  data.columns = {Column::numeric("x", {10, 20, 30})};
  const std::vector<float> pulls{-1, 0, 1};
  const BinnedDataset binned(data, choose_bins(data, {256, 1}), 1);
  LinearLearner learner({data, binned}, {1, 0.5});
  learner.fit({{3, 1, pulls.data(), nullptr, nullptr}}, {});
  // Positions -1/2, 0, 1/2: slope 1 / (1/2 + 1/2).
  EXPECT_FLOAT_EQ(learner.slopes()[0], 1);
  EXPECT_DOUBLE_EQ(learner.features()[0].center, 20);
}

TEST(LinearLearner, SeesOnlyTheSample) {
  Random random(3);
  ProblemShape shape;
  shape.rows = 40;
  shape.missing = false;
  RandomProblem problem = random_problem(shape, random);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < 40; i += 2) rows.push_back(i);
  const BinnedDataset binned = problem.binned();
  const std::vector<std::uint32_t> features{1, 3};
  LinearLearner learner = learner_for(problem, binned, 4);
  const RowVectors h = learner.fit({problem.target()}, {rows, features});
  const std::vector<float> before(h.values, h.values + 40 * shape.width);
  for (const LinearFeature& chosen : learner.features())
    EXPECT_TRUE(chosen.feature == 1 || chosen.feature == 3);
  for (std::size_t i = 1; i < 40; i += 2) problem.weights[i] = problem.pulls[3 * i] = 9;
  LinearLearner again = learner_for(problem, binned, 4);
  const RowVectors after = again.fit({problem.target()}, {rows, features});
  EXPECT_EQ(before, std::vector<float>(after.values, after.values + 40 * shape.width));
}

// To the last bit: a model does not depend on which of the two was asked.
TEST(LinearLearner, OutputsLookedAtTogetherAreThoseOfEachAlone) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    Random random(seed);
    ProblemShape shape = linear_shape(seed);
    shape.rows = seed % 5 == 0 ? 700 : shape.rows;
    shape.width = 1 + seed % 27;
    shape.missing = seed % 2 == 0;
    const RandomProblem problem = random_problem(shape, random);
    const BinnedDataset binned = problem.binned();
    const int features = 1 + static_cast<int>(seed % 3);
    LinearLearner together = learner_for(problem, binned, features, 0.1);
    LinearLearner alone = learner_for(problem, binned, features, 0.1);
    std::vector<std::uint32_t> rows;
    for (std::uint32_t i = 0; i < shape.rows; ++i)
      if (i % 3 != 0) rows.push_back(i);
    Sample sample;
    if (seed % 4 == 0) sample.rows = rows;
    ASSERT_TRUE(together.look_at_all({problem.target()}, sample));
    for (const std::size_t j : {shape.width - 1, std::size_t{0}}) {
      std::vector<float> column(shape.rows);
      for (std::size_t i = 0; i < shape.rows; ++i) column[i] = problem.pulls[i * shape.width + j];
      const RowVectors got = together.fit_output(j);
      const RowVectors expected =
          alone.fit({{shape.rows, 1, column.data(), problem.weights.data(), nullptr}}, sample);
      EXPECT_EQ(got.output, j);
      EXPECT_EQ(together.features(), alone.features()) << seed;
      EXPECT_EQ(together.slopes(), alone.slopes()) << seed;
      for (std::size_t i = 0; i < shape.rows; ++i) EXPECT_EQ(got.of(i)[0], expected.of(i)[0]);
    }
  }
}

TEST(LinearLearner, OutputsWithCurvaturesOfTheirOwnAreNotLookedAtTogether) {
  Random random(1);
  const RandomProblem problem = random_problem(linear_shape(1), random);
  const BinnedDataset binned = problem.binned();
  LinearLearner learner = learner_for(problem, binned, 1);
  EXPECT_FALSE(learner.look_at_all({problem.target(true)}, {}));
}

TEST(LinearLearner, ExtremeNumbersGiveFiniteModels) {
  Dataset data;
  data.rows = 4;
  data.columns = {Column::numeric("huge", {-1e308, 1e308, 0, 1}),
                  Column::numeric("tiny", {0, 5e-324, 0, 5e-324}),
                  Column::numeric("far", {1e15, 1e15 + 1, 1e15 + 2, 1e15 + 3})};
  const std::vector<float> pulls{-3, -1, 1, 3};
  const BinnedDataset binned(data, choose_bins(data, {256, 1}), 1);
  LinearLearner learner({data, binned}, {3, 0});
  const RowVectors h = learner.fit({{4, 1, pulls.data(), nullptr, nullptr}}, {});
  const Matrix packed = packed_values(learner, data, 1);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(h.of(i)[0], pulls[i], 1e-4);
    EXPECT_NEAR(packed.row(i)[0], pulls[i], 1e-4);
  }
}

TEST(LinearLearner, NeedsANumericFeature) {
  Dataset data;
  data.rows = 2;
  data.columns = {Column::categorical("c", {0, 1}, {"a", "b"})};
  const BinnedDataset binned(data, choose_bins(data, {256, 1}), 1);
  EXPECT_THROW(LinearLearner({data, binned}, {}), DataError);
}

TEST(LinearLearner, ConstantFeaturesLeaveTheMean) {
  Dataset data;
  data.rows = 3;
  data.columns = {Column::numeric("x", {2, 2, std::nan("")})};
  const std::vector<float> pulls{1, 2, 3};
  const std::vector<float> weights{1, 1, 2};
  const BinnedDataset binned(data, choose_bins(data, {256, 1}), 1);
  LinearLearner learner({data, binned}, {});
  const RowVectors h = learner.fit({{3, 1, pulls.data(), weights.data(), nullptr}}, {});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_FLOAT_EQ(h.of(i)[0], 1.5F);
}

}  // namespace
}  // namespace simplexboost
