// What the papers say of MCBoost, proved on trained models: the binary algorithms that it contains,
// and what must hold for every loss and every way down (jmlr2019, sections 4 to 7 and 9.2).
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>

#include "boosting/algorithms/naive_binary.h"
#include "boosting/labelled_data.h"
#include "boosting/training_log.h"
#include "codeword/codebook.h"
#include "data/data_files.h"
#include "loss/loss.h"
#include "model/model_access.h"
#include "simplexboost/generate.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::column;
using testing::DataFolder;
using testing::DataShape;
using testing::error_of;
using testing::labelled_data;
using testing::NaiveBinaryBoosting;
using testing::NaiveStump;
using testing::StumpKind;

const std::vector<std::string> kLosses{"exponential", "logistic", "savage"};
// Not all of what the paper proves holds for the last one.
const std::vector<std::string> kAllLosses{"exponential", "logistic", "savage", "tangent"};

// Uneven weights: no two cuts are equally good.
Dataset weighted_data(const DataShape& shape, std::uint64_t seed) {
  Dataset data = labelled_data(shape, seed);
  Random random(seed + 1000);
  for (std::size_t i = 0; i < data.rows; ++i) data.weights.push_back(0.5 + random.uniform());
  return data;
}

// The class scores u of jmlr2019 after each round.
std::vector<Matrix> staged_scores(const Model& model, const Dataset& data) {
  std::vector<std::size_t> rounds(model.rounds() + 1);
  std::iota(rounds.begin(), rounds.end(), std::size_t{0});
  std::vector<Matrix> stages;
  const double scale = ensemble_of(model).link_scale / 2;
  model.predict_staged(data, rounds, [&](std::size_t, const Matrix& scores) {
    stages.push_back(scores);
    for (float& value : stages.back().values) value *= static_cast<float>(scale);
  });
  return stages;
}

double log_risk(const std::string& loss, const Dataset& data, const Matrix& scores) {
  const std::vector<float> weights(data.weights.begin(), data.weights.end());
  LossBlock block;
  block.rows = data.rows;
  block.classes = scores.columns;
  block.scores = scores.values.data();
  block.labels = data.labels.codes.data();
  block.weights = weights.empty() ? nullptr : weights.data();
  return make_loss(loss)->risk(block).log();
}

// ---- two classes ----

struct BinaryCase {
  std::string algorithm;
  std::string loss;
};

class TwoClasses : public ::testing::TestWithParam<BinaryCase> {};

// With exponential loss the naive twin is AdaBoost: alpha = 1/2 ln((1-e)/e), which the simplex of
// two points takes over as it is (see naive_binary.h). Logistic and Savage loss give LogitBoost's
// and SavageBoost's losses with gradient stumps and exact steps.
TEST_P(TwoClasses, GivesTheStumpsAndStepsOfTheBinaryAlgorithm) {
  const auto& [algorithm, loss] = GetParam();
  DataShape shape;
  shape.classes = 2;
  shape.noise = 0.2;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Dataset data = weighted_data(shape, seed);
    Parameters parameters;
    parameters.algorithm = algorithm;
    parameters.loss = loss;
    parameters.learner = "stump";
    parameters.rounds = 25;
    parameters.max_bins = 1000;  // every value its own bin
    const Model model = train(data, parameters);
    ASSERT_EQ(model.rounds(), 25U);
    const Forest& forest = model.forest();
    NaiveBinaryBoosting naive(data, testing::binary_weight(loss),
                              algorithm == "gd-mcboost" ? StumpKind::kClasses : StumpKind::kVote);
    // A line search ends at a ten-thousandth of the slope, and later steps make up for it.
    const bool closed_form = algorithm == "gd-mcboost" && loss == "exponential";
    for (std::size_t r = 0; r < model.rounds(); ++r) {
      const NaiveStump stump = naive.round();
      const double tolerance = (closed_form ? 1e-5 : 5e-3) * stump.alpha;
      if (loss == "exponential") {
        EXPECT_NEAR(stump.alpha, std::log((1 - stump.error) / stump.error) / 2, 1e-9);
      }
      const TreeSpan& tree = forest.trees[r];
      ASSERT_EQ(tree.node_end - tree.node_begin, 1U);
      const Node& node = forest.nodes[tree.node_begin];
      ASSERT_EQ(node.feature, stump.feature) << "seed " << seed << ", round " << r;
      ASSERT_GE(node.threshold, stump.low) << "seed " << seed << ", round " << r;
      ASSERT_LT(node.threshold, stump.high) << "seed " << seed << ", round " << r;
      const auto value = [&](std::int32_t child) {
        return forest.leaf_values[tree.value_begin + static_cast<std::size_t>(~child)];
      };
      EXPECT_NEAR(value(node.left), stump.alpha * stump.left, tolerance);
      EXPECT_NEAR(value(node.right), stump.alpha * stump.right, tolerance);
    }
  }
}

std::vector<BinaryCase> binary_cases() {
  std::vector<BinaryCase> cases;
  for (const char* algorithm : {"gd-mcboost", "cd-mcboost", "cd-mcboost-cyclic"})
    for (const std::string& loss : kLosses) cases.push_back({algorithm, loss});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(McBoost, TwoClasses, ::testing::ValuesIn(binary_cases()),
                         [](const auto& it) {
                           std::string name = it.param.algorithm + "_" + it.param.loss;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// ---- every loss, every way down ----

class EveryLoss : public ::testing::TestWithParam<std::string> {
 protected:
  Parameters parameters(const std::string& algorithm, int rounds) const {
    Parameters result;
    result.algorithm = algorithm;
    result.loss = GetParam();
    result.rounds = rounds;
    return result;
  }
};

// Theorem 5, (92): whoever lowers the risk raises the smallest margin, gamma(phi(M)) / n < R.
TEST_P(EveryLoss, RiskIsAboveThatOfTheSmallestMargin) {
  if (GetParam() == "tangent") GTEST_SKIP() << "a larger margin may be worse";
  DataShape shape;
  shape.rows = 150;
  shape.classes = 4;
  const Dataset data = labelled_data(shape, 17);
  const Model model = train(data, parameters("gd-mcboost", 25));
  const auto of_sum = [&](double s) {
    if (GetParam() == "exponential") return s;
    return GetParam() == "logistic" ? std::log1p(s) : s / (1 + s) * s / (1 + s);
  };
  const double rate = GetParam() == "exponential" ? 1 : 2;
  const std::vector<double> logged = column(model, "margin_above");
  const std::vector<Matrix> stages = staged_scores(model, data);
  ASSERT_EQ(logged.size() + 1, stages.size());
  for (std::size_t r = 0; r < stages.size(); ++r) {
    const Matrix& scores = stages[r];
    double risk = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < data.rows; ++i) {
      const float* const u = scores.row(i);
      const auto own = static_cast<double>(u[data.labels.codes[i]]);
      double sum = 0;
      for (std::size_t k = 0; k < shape.classes; ++k) {
        if (static_cast<std::int32_t>(k) == data.labels.codes[i]) continue;
        const double margin = own - static_cast<double>(u[k]);
        least = std::min(least, margin);
        sum += std::exp(-rate * margin);
      }
      risk += of_sum(sum) / 150;
    }
    EXPECT_NEAR(std::log(150 * risk), log_risk(GetParam(), data, scores), 1e-4);
    EXPECT_GT(risk, of_sum(std::exp(-rate * least)) / 150);
    if (r == logged.size()) break;
    EXPECT_LE(logged[r], least + 1e-4);
    if (logged[r] > -1e5) {
      EXPECT_NEAR(of_sum(std::exp(-rate * logged[r])) / 150, risk, 1e-3 * risk);
    } else {
      EXPECT_GE(150 * risk, of_sum(1e30));  // more than any margin could cost
    }
  }
}

// The first tree is right on every row, and then some rows turn out to be otherwise.
TEST_P(EveryLoss, HypothesesWithoutErrorCanBeOutvoted) {
  if (GetParam() == "tangent") GTEST_SKIP() << "of equal cuts rounding takes one that errs";
  Dataset data;
  std::vector<double> half;
  std::vector<double> quarter;
  std::vector<double> row;
  for (int i = 0; i < 200; ++i) {
    half.push_back(i < 100 ? 0 : 1);
    quarter.push_back(i / 50 % 2);
    row.push_back(i);
    data.labels.codes.push_back(i / 50);
  }
  data.rows = row.size();
  data.columns = {Column::numeric("half", half), Column::numeric("quarter", quarter),
                  Column::numeric("row", row)};
  data.labels.classes = {"a", "b", "c", "d"};
  Parameters wanted = parameters("gd-mcboost", 1);
  wanted.depth = 2;
  const Model first = train(data, wanted);
  ASSERT_EQ(error_of(first, data), 0);
  // As if it erred on half a row of the 200: a = ln(400) / 2 at most, of a K / (2 (K - 1)).
  EXPECT_LE(column(first, "step").front(), 2.0 * 3 / 4 * std::log(400.0) + 1e-6);
  EXPECT_GT(column(first, "step").front(), 1);
  for (std::size_t i = 0; i < 25; ++i) data.labels.codes[i] = 1;
  TrainOptions options;
  options.init = &first;
  wanted.rounds = 12;
  EXPECT_EQ(error_of(train(data, wanted, options), data), 0);
}

TEST_P(EveryLoss, RiskNeverRises) {
  for (const char* algorithm : {"gd-mcboost", "cd-mcboost", "cd-mcboost-cyclic", "newton"}) {
    for (const double rate : {1.0, 0.3}) {
      for (const std::uint64_t seed : {11U, 12U, 13U}) {
        DataShape shape;
        shape.rows = 200;
        shape.classes = 2 + seed % 4;
        shape.noise = 0.3;
        const Dataset data = weighted_data(shape, seed);
        Parameters wanted = parameters(algorithm, 20);
        wanted.learning_rate = rate;
        const Model model = train(data, wanted);
        const std::vector<Matrix> stages = staged_scores(model, data);
        const std::vector<double> logged = model.log().column("log_risk");
        double before = log_risk(GetParam(), data, stages.front());
        for (std::size_t r = 1; r < stages.size(); ++r) {
          if (!logged.empty()) {
            EXPECT_NEAR(logged[r - 1], before, 1e-4);
          }
          const double now = log_risk(GetParam(), data, stages[r]);
          EXPECT_LE(now, before + 1e-5)
              << algorithm << ", rate " << rate << ", seed " << seed << ", round " << r;
          before = now;
        }
      }
    }
  }
}

TEST_P(EveryLoss, StaysFiniteForTenThousandRoundsOfStumpsOnSeparableData) {
  DataShape shape;
  shape.rows = 60;
  shape.numbers = 2;
  shape.noise = 0;
  const Dataset data = labelled_data(shape, 5);
  for (const char* algorithm : {"gd-mcboost", "cd-mcboost", "newton"}) {
    Parameters wanted = parameters(algorithm, 10'000);
    wanted.learner = "stump";
    wanted.threads = 1;
    const Model model = train(data, wanted);
    EXPECT_EQ(error_of(model, data), 0) << algorithm;
    for (const double value : model.log().values) ASSERT_TRUE(std::isfinite(value));
    for (const float score : model.predict_scores(data).values) ASSERT_TRUE(std::isfinite(score));
    for (const float share : model.predict_proba(data).values)
      ASSERT_TRUE(share >= 0 && share <= 1);
  }
}

// jmlr2019, Table 3.
TEST_P(EveryLoss, PosteriorsAreTheClosedFormOfTheScores) {
  if (GetParam() == "tangent") GTEST_SKIP() << "it has none; see tests/loss/tangent_test.cpp";
  const Dataset data = labelled_data({}, 21);
  for (const char* codewords : {"simplex", "canonical", "one-vs-all"}) {
    Parameters wanted = parameters("gd-mcboost", 10);
    wanted.codewords = codewords;
    const Model model = train(data, wanted);
    const Matrix u = staged_scores(model, data).back();
    const Matrix probabilities = model.predict_proba(data);
    for (std::size_t i = 0; i < data.rows; ++i) {
      std::vector<double> p(u.columns);
      for (std::size_t k = 0; k < p.size(); ++k) p[k] = std::exp(2.0 * u.row(i)[k]);
      double sum = std::accumulate(p.begin(), p.end(), 0.0);
      for (double& value : p) value /= sum;
      if (GetParam() == "savage") {
        for (double& value : p) value = 1 / (1 - value);
        sum = std::accumulate(p.begin(), p.end(), 0.0);
        for (double& value : p) value /= sum;
      }
      for (std::size_t k = 0; k < p.size(); ++k)
        EXPECT_NEAR(probabilities.row(i)[k], p[k], 1e-5) << codewords;
    }
  }
}

// A random orthogonal matrix: Gram-Schmidt on normal numbers.
std::vector<std::vector<double>> random_rotation(std::size_t d, Random& random) {
  std::vector<std::vector<double>> q(d, std::vector<double>(d));
  for (std::size_t i = 0; i < d; ++i) {
    for (double& value : q[i]) value = random.normal();
    for (std::size_t j = 0; j < i; ++j) {
      const double dot = std::inner_product(q[i].begin(), q[i].end(), q[j].begin(), 0.0);
      for (std::size_t c = 0; c < d; ++c) q[i][c] -= dot * q[j][c];
    }
    const double norm = std::sqrt(std::inner_product(q[i].begin(), q[i].end(), q[i].begin(), 0.0));
    for (double& value : q[i]) value /= norm;
  }
  return q;
}

std::string write_rotated_simplex(const DataFolder& folder, std::size_t classes, Random& random) {
  const Codebook simplex = Codebook::simplex(classes);
  const auto rotation = random_rotation(simplex.dimension(), random);
  const std::string path = folder.path("codewords.csv");
  std::ofstream file(path);
  file.precision(12);
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t j = 0; j < simplex.dimension(); ++j) {
      double value = 0;
      for (std::size_t c = 0; c < simplex.dimension(); ++c)
        value += simplex.entry(k, c) * rotation[c][j];
      file << (j > 0 ? "," : "") << value;
    }
    file << "\n";
  }
  return path;
}

TEST_P(EveryLoss, RotatingTheCodewordsChangesNoCodewordValuedTree) {
  DataShape shape;
  shape.rows = 600;
  shape.classes = 5;
  shape.noise = 0.3;
  Dataset data = weighted_data(shape, 31);
  // A row of a class that neither side of a cut names may stand on either side at the same price.
  // Few distinct values leave no such rows alone between two cuts.
  for (std::size_t f = 0; f < data.columns.size(); ++f) {
    std::vector<double> x = testing::values(data, f);
    for (double& value : x) value = std::round(2 * std::clamp(value, -2.0, 2.0)) / 2;
    data.columns[f] = Column::numeric("x" + std::to_string(f), x);
  }
  Parameters wanted = parameters("gd-mcboost", 15);
  const Model plain = train(data, wanted);
  const DataFolder folder;
  Random random(32);
  for (int turn = 0; turn < 3; ++turn) {
    wanted.codewords = write_rotated_simplex(folder, shape.classes, random);
    const Model turned = train(data, wanted);
    const Forest& a = plain.forest();
    const Forest& b = turned.forest();
    ASSERT_EQ(a.nodes.size(), b.nodes.size());
    for (std::size_t i = 0; i < a.nodes.size(); ++i) ASSERT_EQ(a.nodes[i], b.nodes[i]);
    const Matrix u = plain.predict_scores(data);
    const Matrix v = turned.predict_scores(data);
    for (std::size_t i = 0; i < u.values.size(); ++i) EXPECT_NEAR(u.values[i], v.values[i], 1e-3);
    EXPECT_EQ(plain.predict(data), turned.predict(data));
  }
}

// jmlr2019 (72): without a hypothesis of positive edge, boosting ends and says so.
TEST_P(EveryLoss, StopsWithAClearWordWhereNoLearnerHasAPositiveEdge) {
  Dataset data;
  data.rows = 30;
  data.columns = {Column::numeric("x", std::vector<double>(30, 1.5))};
  for (std::int32_t i = 0; i < 30; ++i) data.labels.codes.push_back(i % 3);
  data.labels.classes = {"a", "b", "c"};
  data.labels.columns = {"class"};
  for (const char* algorithm : {"gd-mcboost", "cd-mcboost", "cd-mcboost-cyclic"}) {
    const Model model = train(data, parameters(algorithm, 10));
    EXPECT_EQ(model.rounds(), 0U) << algorithm;
    EXPECT_NE(model.log().stop_reason.find("no weak hypothesis has a positive edge"),
              std::string::npos)
        << model.log().stop_reason;
    for (const float share : model.predict_proba(data).values) EXPECT_NEAR(share, 1.0 / 3, 1e-6);
  }
}

TEST_P(EveryLoss, LogsAPositiveEdgeAndTheCoordinateOfEachRound) {
  DataShape shape;
  shape.classes = 4;
  const Dataset data = labelled_data(shape, 41);
  for (const char* algorithm : {"gd-mcboost", "cd-mcboost", "cd-mcboost-cyclic"}) {
    const Model model = train(data, parameters(algorithm, 12));
    const std::vector<double> edges = model.log().column("edge");
    ASSERT_EQ(edges.size(), model.rounds()) << algorithm;
    for (const double edge : edges) EXPECT_GT(edge, 0) << algorithm;
    const std::vector<double> coordinates = model.log().column("coordinate");
    if (std::string(algorithm) == "gd-mcboost") {
      EXPECT_TRUE(coordinates.empty());
      continue;
    }
    ASSERT_EQ(coordinates.size(), model.rounds());
    for (std::size_t r = 0; r < coordinates.size(); ++r) {
      EXPECT_EQ(coordinates[r], model.forest().trees[r].output) << algorithm;
      if (std::string(algorithm) == "cd-mcboost-cyclic") {
        EXPECT_EQ(coordinates[r], static_cast<double>(r % 3));
      }
    }
  }
}

// Constant hypotheses learn how frequent the classes are, and then nothing more. (Savage's risk has
// no finite minimum where a class is rare: 1 / (1 - p_k) is never below 1.)
TEST_P(EveryLoss, StopsOnConstantFeaturesOnceTheClassFrequenciesAreLearned) {
  Dataset data;
  data.rows = 60;
  data.columns = {Column::numeric("x", std::vector<double>(60, 1.5))};
  for (std::int32_t i = 0; i < 60; ++i) data.labels.codes.push_back(i < 24 ? 0 : i < 44 ? 1 : 2);
  data.labels.classes = {"a", "b", "c"};
  data.labels.columns = {"class"};
  const Model model = train(data, parameters("gd-mcboost", 1000));
  EXPECT_LT(model.rounds(), 1000U);
  const Matrix shares = model.predict_proba(data);
  EXPECT_NEAR(shares.row(0)[0], 24.0 / 60, 1e-3);
  EXPECT_NEAR(shares.row(0)[1], 20.0 / 60, 1e-3);
  EXPECT_NEAR(shares.row(0)[2], 16.0 / 60, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(McBoost, EveryLoss, ::testing::ValuesIn(kAllLosses),
                         [](const auto& it) { return it.param; });

// ---- jmlr2019, section 9.2 ----

TEST(McBoostOnThreeGaussians, ComesWithinAPointOfTheBayesErrorInAHundredRounds) {
  GeneratorSpec spec;
  spec.name = "gaussian3";
  spec.rows = 5000;
  spec.seed = 1;
  const Dataset data = generate(spec);
  spec.seed = 2;
  spec.rows = 20'000;
  const Dataset test = generate(spec);
  Parameters wanted;
  wanted.algorithm = "cd-mcboost";
  wanted.learner = "stump";
  wanted.rounds = 100;
  const double bayes_error = *make_generator(spec)->bayes_error();
  EXPECT_NEAR(bayes_error, 0.1145, 1e-3);
  EXPECT_LT(error_of(train(data, wanted), test), bayes_error + 0.01);
}

// A component without an edge must not end the turns of the others.
TEST(CyclicOrder, PassesComponentsThatCannotGain) {
  Dataset data;
  data.rows = 60;
  std::vector<double> x;
  Random random(1);
  for (std::size_t i = 0; i < data.rows; ++i) {
    data.labels.codes.push_back(static_cast<std::int32_t>(i % 3));
    x.push_back(static_cast<double>(10 * (i % 3)) + random.uniform());
  }
  data.columns.push_back(Column::numeric("x", x));
  data.labels.classes = {"a", "b", "c"};
  data.labels.columns = {"class"};
  Parameters parameters;
  parameters.algorithm = "cd-mcboost-cyclic";
  parameters.loss = "savage";
  parameters.rounds = 200;
  const Model model = train(data, parameters);
  EXPECT_EQ(model.rounds(), 200U) << model.log().stop_reason;
}

// ---- many classes ----

// A matrix of the codewords would take 10 GB.
TEST(ManyClasses, SimplexNeedsNoMatrixInTrainingModelOrPrediction) {
  constexpr std::size_t kClasses = 50'000;
  Dataset data = labelled_data({.rows = 40, .classes = kClasses, .numbers = 2}, 30);
  const DataFolder folder;
  for (const std::string algorithm : {"gd-mcboost", "cd-mcboost-cyclic", "newton"}) {
    Parameters parameters;
    parameters.algorithm = algorithm;
    parameters.codewords = "simplex";
    parameters.rounds = 2;
    const Model made = train(data, parameters);
    made.save(folder.path("m.sb"));
    const Model model = Model::load(folder.path("m.sb"));
    EXPECT_TRUE(ensemble_of(model) == ensemble_of(made)) << algorithm;
    EXPECT_LT(std::filesystem::file_size(folder.path("m.sb")), 20'000'000U) << algorithm;
    EXPECT_EQ(model.predict_margins(data), made.predict_margins(data)) << algorithm;
  }
}

// As many outputs as classes do not make their pulls those of the classes: the matrix that is a
// rotation of the canonical codewords must give the same predictions.
TEST(ManyOutputs, RotatedCanonicalCodewordsChangeNothing) {
  const Dataset data = weighted_data({.rows = 300, .classes = 3}, 31);
  const DataFolder folder;
  const std::string path =
      folder.write("c.csv",
                   "0.6666667,0.6666667,0.3333333\n-0.3333333,0.6666667,-0.6666667\n"
                   "-0.6666667,0.3333333,0.6666667\n");
  Parameters parameters;
  parameters.algorithm = "gd-mcboost";
  parameters.rounds = 5;
  parameters.codewords = "canonical";
  const std::vector<std::int32_t> expected = train(data, parameters).predict(data);
  parameters.codewords = path;
  EXPECT_EQ(train(data, parameters).predict(data), expected);
}

}  // namespace
}  // namespace simplexboost
