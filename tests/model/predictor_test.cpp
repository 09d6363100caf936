#include "model/predict/predictor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <thread>

#include "model/model_access.h"
#include "model/random_ensemble.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// The twin: walks the unpacked trees one row at a time, as forest.h defines them.
class NaivePredictor {
 public:
  explicit NaivePredictor(const Ensemble& ensemble) : ensemble_(ensemble) {}

  std::vector<float> class_scores(const std::vector<double>& row, std::size_t rounds) const {
    std::vector<float> f = ensemble_.bias;
    const Forest& forest = ensemble_.forest;
    for (std::size_t t = 0; t < forest.trees_of(rounds); ++t) {
      const TreeSpan& tree = forest.trees[t];
      const std::size_t leaf = tree.node_begin == tree.node_end ? 0 : find_leaf(tree, 0, row);
      const auto give = [&](std::size_t c, float value) {
        f[tree.output + c] += value;
        if (tree.minus_output != kNoOutput) f[tree.minus_output + c] -= value;
      };
      for (std::size_t c = 0; c < tree.width; ++c)
        give(c, forest.leaf_values[tree.value_begin + leaf * tree.width + c]);
      std::size_t slope = tree.slope_begin;
      for (std::size_t l = tree.linear_begin; l < tree.linear_end; ++l) {
        const LinearFeature& linear = forest.linear_features[l];
        const double x = row[linear.feature];
        const double kept = std::isnan(x) ? linear.center : std::clamp(x, linear.low, linear.high);
        const double position = (kept - linear.center) / (linear.high - linear.low);
        for (std::size_t c = 0; c < tree.width; ++c)
          give(c, static_cast<float>(position * forest.slopes[slope++]));
      }
    }
    const std::vector<float> codewords = codeword_matrix(ensemble_);
    if (codewords.empty()) return f;
    std::vector<float> u(ensemble_.classes());
    for (std::size_t k = 0; k < u.size(); ++k) {
      double dot = 0;
      for (std::size_t c = 0; c < f.size(); ++c)
        dot += static_cast<double>(codewords[k * f.size() + c]) * static_cast<double>(f[c]);
      u[k] = static_cast<float>(dot / 2);
    }
    return u;
  }

 private:
  std::size_t find_leaf(const TreeSpan& tree, std::int32_t at,
                        const std::vector<double>& row) const {
    if (at < 0) return static_cast<std::size_t>(~at);
    const Node& node = ensemble_.forest.nodes[tree.node_begin + static_cast<std::size_t>(at)];
    const double x = row[node.feature];
    const bool left = std::isnan(x)      ? node.missing_left
                      : node.categorical ? in_set(node, static_cast<std::size_t>(x))
                                         : x <= node.threshold;
    return find_leaf(tree, left ? node.left : node.right, row);
  }

  bool in_set(const Node& node, std::size_t code) const {
    if (code / 32 >= node.set_size) return false;
    return ((ensemble_.forest.set_words[node.set + code / 32] >> (code % 32)) & 1) != 0;
  }

  const Ensemble& ensemble_;
};

std::vector<double> row_of(const Dataset& data, std::size_t i) {
  std::vector<double> row;
  for (const Column& column : data.columns) column.copy(i, i + 1, &row.emplace_back());
  return row;
}

Model make_model(const EnsembleShape& shape, std::uint64_t seed) {
  return make_model(random_ensemble(shape, seed));
}

// Shapes that between them have scalar and vector trees, codewords, one feature, deep trees.
std::vector<EnsembleShape> shapes() {
  return {{},
          {1, 2, 2, 3, 1, 3},
          {6, 3, 2, 8, 1, 40},
          {9, 26, 26, 3, 2, 127},
          {4, 5, 7, 2, 1, 6},
          {3, 1, 1, 2, 1, 0},
          {5, 3, 3, 0, 0, 0}};
}

TEST(Predictor, AgreesWithNaiveTwin) {
  std::uint64_t seed = 0;
  for (const EnsembleShape& shape : shapes()) {
    for (int repeat = 0; repeat < 20; ++repeat, ++seed) {
      const Model model = make_model(shape, seed);
      const Dataset data = random_data(model.schema(), 1 + seed % 67, seed);
      const Matrix scores = model.predict_scores(data);
      const NaivePredictor naive(ensemble_of(model));
      for (std::size_t i = 0; i < data.rows; ++i) {
        const auto expected = naive.class_scores(row_of(data, i), shape.rounds);
        for (std::size_t k = 0; k < expected.size(); ++k) {
          if (model.codewords().empty())
            ASSERT_EQ(scores.row(i)[k], expected[k]) << "seed " << seed;
          else
            ASSERT_NEAR(scores.row(i)[k], expected[k], 1e-4) << "seed " << seed;
        }
      }
    }
  }
}

// Among the trees are some that go by masks and some that walk: sparse ones, linear ones, those of
// categories.
TEST(Predictor, ManyRowsAgreeWithNaiveTwin) {
  std::uint64_t seed = 300;
  for (const EnsembleShape& shape :
       {EnsembleShape{2, 5, 5, 12, 2, 20}, EnsembleShape{7, 4, 4, 9, 3, 6},
        EnsembleShape{1, 1, 1, 20, 1, 40}}) {
    const Model model = make_model(shape, ++seed);
    const Dataset data = random_data(model.schema(), 700, seed);
    const Matrix scores = model.predict_scores(data);
    const NaivePredictor naive(ensemble_of(model));
    for (std::size_t i = 0; i < data.rows; ++i) {
      const auto expected = naive.class_scores(row_of(data, i), shape.rounds);
      for (std::size_t k = 0; k < expected.size(); ++k)
        ASSERT_EQ(scores.row(i)[k], expected[k]) << "seed " << seed;
    }
  }
}

TEST(Predictor, SameForAnyNumberOfThreads) {
  const Model model = make_model({9, 26, 10, 10, 2, 60}, 1);
  const Dataset data = random_data(model.schema(), 5003, 2);
  const Matrix expected = model.predict_proba(data, {1, 0});
  for (const int threads : {2, 3, 7})
    EXPECT_EQ(model.predict_proba(data, {threads, 0}).values, expected.values);
}

TEST(Predictor, RowGivesWhatTheBatchGives) {
  std::vector<EnsembleShape> all = shapes();
  all.push_back({2, 3000, 2999, 2, 1, 3});  // more outputs than are kept on the stack, a simplex
  for (const EnsembleShape& shape : all) {
    const Model model = make_model(shape, 3);
    const Dataset data = random_data(model.schema(), 50, 4);
    const Matrix expected = model.predict_scores(data);
    std::vector<float> scores(model.schema().classes.size());
    for (std::size_t i = 0; i < data.rows; ++i) {
      model.predict_row(row_of(data, i), scores);
      for (std::size_t k = 0; k < scores.size(); ++k) ASSERT_EQ(scores[k], expected.row(i)[k]);
    }
  }
}

TEST(Predictor, RowWithMoreOutputsThanTheStackHoldsGivesWhatTheBatchGives) {
  const Model model = make_model({3, 2, 2500, 3, 2, 4}, 5);
  const Dataset data = random_data(model.schema(), 5, 6);
  const Matrix expected = model.predict_scores(data);
  std::vector<float> scores(2);
  for (std::size_t i = 0; i < data.rows; ++i) {
    model.predict_row(row_of(data, i), scores);
    EXPECT_EQ(scores[0], expected.row(i)[0]);
    EXPECT_EQ(scores[1], expected.row(i)[1]);
  }
}

TEST(Predictor, AnyNumberIsAFeatureOfARow) {
  const Model model = make_model({}, 7);
  std::vector<float> scores(4);
  for (const double x :
       {-1.0, -1e300, 1e300, 0.5, std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    model.predict_row(std::vector<double>(6, x), scores);
    for (const float u : scores) EXPECT_TRUE(std::isfinite(u));
  }
}

TEST(Predictor, StagesAreThePrefixesOfTheRounds) {
  const Model model = make_model({6, 4, 3, 9, 2, 10}, 8);
  const Dataset data = random_data(model.schema(), 40, 9);
  const std::vector<std::size_t> rounds = {0, 1, 4, 4, 9};
  std::size_t calls = 0;
  model.predict_staged(data, rounds, [&](std::size_t end, const Matrix& scores) {
    EXPECT_EQ(end, rounds[calls++]);
    if (end > 0) {
      EXPECT_EQ(scores.values, model.predict_scores(data, {1, end}).values);
    }
  });
  EXPECT_EQ(calls, rounds.size());
  const std::vector<std::size_t> falling = {4, 1};
  EXPECT_THROW(model.predict_staged(data, falling, [](std::size_t, const Matrix&) {}),
               ParameterError);
}

TEST(Predictor, RoundsBeyondTheModelAreRefused) {
  const Model model = make_model({}, 10);
  const Dataset data = random_data(model.schema(), 3, 11);
  EXPECT_THROW(model.predict(data, {0, model.rounds() + 1}), ParameterError);
}

TEST(Predictor, ManyThreadsMayPredictAtOnce) {
  const Model model = make_model({}, 12);
  const Dataset data = random_data(model.schema(), 700, 13);
  const Matrix expected = model.predict_scores(data, {1, 0});
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int repeat = 0; repeat < 5; ++repeat) {
        if (model.predict_scores(data, {1 + t % 2, 0}).values != expected.values) ++wrong;
        std::vector<float> scores(4);
        model.predict_row(row_of(data, static_cast<std::size_t>(t)), scores);
        if (scores[0] != expected.row(static_cast<std::size_t>(t))[0]) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Predictor, SparseColumnsAreReadLikeDenseOnes) {
  Ensemble ensemble = random_ensemble({2, 3, 3, 6, 1, 9}, 14);  // two numeric features
  const Model model = make_model(ensemble);
  Dataset dense;
  dense.rows = 600;
  std::vector<double> values(600);
  std::vector<std::uint32_t> rows;
  std::vector<double> kept;
  for (std::uint32_t i = 0; i < 600; i += 7) {
    values[i] = i % 2 == 0 ? -0.75 : 0.6;
    rows.push_back(i);
    kept.push_back(values[i]);
  }
  Dataset sparse = dense;
  dense.columns = {Column::numeric("x0", values), Column::numeric("x1", values)};
  sparse.columns = {Column::sparse_numeric("x0", rows, kept),
                    Column::sparse_numeric("x1", rows, kept)};
  EXPECT_EQ(model.predict_scores(dense).values, model.predict_scores(sparse).values);
}

TEST(Predictor, DataThatDoesNotFitIsRefused) {
  const Model model = make_model({}, 15);
  Dataset data = random_data(model.schema(), 3, 16);
  std::swap(data.columns[0], data.columns[1]);
  EXPECT_THROW(model.predict(data), ModelError);  // names
  data.named = false;
  EXPECT_NO_THROW(model.predict(data));
  std::swap(data.columns[0], data.columns[2]);
  EXPECT_THROW(model.predict(data), ModelError);  // types
  data.columns.pop_back();
  EXPECT_THROW(model.predict(data), ModelError);  // number
  std::vector<float> scores(4);
  EXPECT_THROW(model.predict_row(std::vector<double>(5), scores), ModelError);
}

TEST(Predictor, TiesGoToTheLowerClass) {
  Ensemble ensemble = random_ensemble({1, 3, 3, 0, 0, 0}, 17);
  ensemble.bias = {1, 2, 2};
  const Model model = make_model(ensemble);
  EXPECT_EQ(model.predict(random_data(model.schema(), 1, 1)), std::vector<std::int32_t>{1});
}

Ensemble constant_scores(std::vector<float> scores, Link link) {
  Ensemble ensemble = random_ensemble({1, scores.size(), scores.size(), 0, 0, 0}, 18);
  ensemble.bias = std::move(scores);
  ensemble.link = link;
  ensemble.link_scale = 2;
  return ensemble;
}

TEST(Probabilities, SoftmaxIsRightAndStable) {
  const Model model = make_model(constant_scores({0, 0.5F, 1e30F, -1e30F}, Link::kSoftmax));
  std::vector<float> p = {0, 0.5F, 1, -1};
  model.scores_to_proba(p);
  const double sum = std::exp(0) + std::exp(1) + std::exp(2) + std::exp(-2);
  EXPECT_NEAR(p[1], std::exp(1) / sum, 1e-6);
  EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-6);
  const Matrix extreme = model.predict_proba(random_data(model.schema(), 1, 1));
  EXPECT_EQ(extreme.values, (std::vector<float>{0, 0, 1, 0}));
}

TEST(Probabilities, LogisticIsNormalisedOnlyForSingleLabels) {
  Ensemble ensemble = constant_scores({0, 1}, Link::kLogistic);
  const Dataset data = random_data(ensemble.schema, 1, 1);
  const double a = 0.5;
  const double b = 1 / (1 + std::exp(-2.0));
  const Matrix single = make_model(ensemble).predict_proba(data);
  EXPECT_NEAR(single.values[0], a / (a + b), 1e-6);
  ensemble.link_shift = std::log(3.0);
  const double c = 1 / (1 + 3.0);
  const double d = 1 / (1 + 3 * std::exp(-2.0));
  const Matrix shifted = make_model(ensemble).predict_proba(data);
  EXPECT_NEAR(shifted.values[0], c / (c + d), 1e-6);
  ensemble.link_shift = 0;
  ensemble.schema.multi_label = true;
  const Matrix multi = make_model(ensemble).predict_proba(data);
  EXPECT_NEAR(multi.values[0], a, 1e-6);
  EXPECT_NEAR(multi.values[1], b, 1e-6);
  const Model vanishing = make_model(constant_scores({-1e4F, -1e4F}, Link::kLogistic));
  EXPECT_NEAR(vanishing.predict_proba(data).values[0], 0.5, 1e-6);
}

}  // namespace
}  // namespace simplexboost
