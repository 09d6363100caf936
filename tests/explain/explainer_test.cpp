#include "simplexboost/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/message_of.h"
#include "base/random.h"
#include "explain/brute_force.h"
#include "explain/score_space.h"
#include "model/model_access.h"
#include "model/random_ensemble.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

void add_covers(Forest& forest, std::uint64_t seed) {
  Random random(seed, 3);
  forest.leaf_cover.clear();
  for (std::size_t i = 0; i < forest.leaves(); ++i)
    forest.leaf_cover.push_back(static_cast<float>(random.below(6)));  // some have none
}

std::vector<std::vector<double>> rows_of(const Dataset& data) {
  std::vector<std::vector<double>> rows(data.rows, std::vector<double>(data.columns.size()));
  for (std::size_t f = 0; f < data.columns.size(); ++f) {
    std::vector<double> column(data.rows);
    data.columns[f].copy(0, data.rows, column.data());
    for (std::size_t i = 0; i < data.rows; ++i) rows[i][f] = column[i];
  }
  return rows;
}

// The game of a row in classes, for all subsets of its features.
Game class_games(const Ensemble& ensemble, const std::vector<double>& row,
                 const std::vector<std::vector<double>>& background) {
  std::vector<std::int32_t> classes;
  for (std::size_t k = 0; k < ensemble.classes(); ++k)
    classes.push_back(static_cast<std::int32_t>(k));
  const ScoreSpace space(ensemble, classes, classes.size());
  Game games;
  for (std::uint64_t set = 0; set < (1ULL << row.size()); ++set) {
    std::vector<double> outputs = game(ensemble, row, background, set);
    for (std::size_t j = 0; j < outputs.size(); ++j)
      outputs[j] += static_cast<double>(ensemble.bias[j]);
    games.push_back(space.class_values(outputs));
  }
  return games;
}

struct Case {
  const char* name;
  EnsembleShape shape;
  std::uint64_t seed;
  bool pooled = false;
};

const std::vector<Case> kCases = {
    {"scores of classes", {5, 3, 3, 4, 1, 9}, 0},
    {"codewords", {4, 5, 3, 4, 1, 9}, 4},
    {"a simplex", {4, 4, 3, 4, 2, 7}, 3},
    {"half precision", {5, 4, 4, 4, 1, 9}, 2},
    {"constants", {3, 3, 3, 3, 1, 0}, 1},
    {"members", {}, 2, true},
    {"members, product", {}, 3, true},
};

Ensemble make(const Case& c) {
  Ensemble ensemble = c.pooled ? random_pooled_ensemble(c.seed) : random_ensemble(c.shape, c.seed);
  add_covers(ensemble.forest, c.seed);
  return ensemble;
}

class ExplainerTest : public ::testing::TestWithParam<bool> {};

TEST_P(ExplainerTest, GivesTheValuesOfTheDefinition) {
  const bool interventional = GetParam();
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const Ensemble ensemble = make(c);
    const Model model = make_model(ensemble);
    const Dataset data = random_data(ensemble.schema, 7, 11);
    const Dataset others = random_data(ensemble.schema, 9, 12);
    ExplainOptions options;
    if (interventional) options.background = &others;
    const Explainer explainer(model, options);
    const ShapValues found = explainer.values(data, 0, data.rows);
    const ShapValues pairs = explainer.interactions(data, 0, data.rows);
    const auto background = interventional ? rows_of(others) : std::vector<std::vector<double>>();
    const std::size_t features = ensemble.schema.features.size();
    const std::size_t classes = ensemble.classes();
    for (std::size_t i = 0; i < data.rows; ++i) {
      const Game games = class_games(ensemble, rows_of(data)[i], background);
      for (std::size_t k = 0; k < classes; ++k)
        ASSERT_NEAR(found.base[i * classes + k] - explainer.expected()[k], 0, 1e-12);
      for (std::size_t k = 0; k < classes; ++k)
        ASSERT_NEAR(explainer.expected()[k], games[0][k], 1e-9);
      for (std::size_t f = 0; f < features; ++f) {
        const std::vector<double> value = shapley_value(games, features, f);
        for (std::size_t k = 0; k < classes; ++k)
          ASSERT_NEAR(found.row(i)[f * classes + k], value[k], 1e-9) << i << " " << f << " " << k;
        for (std::size_t g = 0; g < features; ++g) {
          if (f == g) continue;
          const std::vector<double> both = shapley_pair(games, features, f, g);
          for (std::size_t k = 0; k < classes; ++k)
            ASSERT_NEAR(pairs.values[((i * features + f) * features + g) * classes + k], both[k],
                        1e-9);
        }
        for (std::size_t k = 0; k < classes; ++k) {
          double line = 0;
          for (std::size_t g = 0; g < features; ++g)
            line += pairs.values[((i * features + f) * features + g) * classes + k];
          ASSERT_NEAR(line, value[k], 1e-9);
        }
      }
    }
  }
}

TEST_P(ExplainerTest, SumsToWhatIsExplained) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const Ensemble ensemble = make(c);
    const Model model = make_model(ensemble);
    const Dataset data = random_data(ensemble.schema, 70, 5);
    ExplainOptions options;
    const Dataset others = random_data(ensemble.schema, 5, 12);
    if (GetParam()) options.background = &others;
    const Explainer explainer(model, options);
    const ShapValues values = explainer.values(data, 0, data.rows);
    const std::vector<double> sums = explainer.sums(data);
    const Matrix scores = model.predict_scores(data);
    const std::size_t classes = ensemble.classes();
    for (std::size_t i = 0; i < data.rows; ++i)
      for (std::size_t k = 0; k < classes; ++k) {
        double sum = values.base[i * classes + k];
        for (std::size_t f = 0; f < values.features; ++f) sum += values.row(i)[f * classes + k];
        const double wanted = sums[i * classes + k];
        ASSERT_NEAR(sum, wanted, 1e-9 * std::max(1.0, std::fabs(wanted)));
        if (explainer.explained() != Explained::kScore) continue;
        ASSERT_NEAR(wanted, scores.row(i)[k], 2e-6 * std::max(1.0, std::fabs(wanted)));
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Games, ExplainerTest, ::testing::Bool(), [](const auto& one) {
  return one.param ? "Interventional" : "PathDependent";
});

// All ways to ask for columns give those of all classes.
TEST(Explainer, GivesChosenTopAndContrastedClasses) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const Ensemble ensemble = make(c);
    const Model model = make_model(ensemble);
    const Dataset data = random_data(ensemble.schema, 45, 5);
    const Explainer explainer(model);
    const ShapValues all = explainer.values(data, 0, data.rows);
    const std::size_t classes = ensemble.classes();
    const auto of = [&](std::size_t i, std::size_t f, std::int32_t k) {
      return all.row(i)[f * classes + static_cast<std::size_t>(k)];
    };
    const ShapValues chosen = explainer.values(data, 3, 40, {{2, 0, 2}, 0, {}});
    ASSERT_EQ(chosen.rows, 37U);
    const ShapValues top = explainer.values(data, 0, data.rows, {{}, 2, {}});
    const ShapValues why = explainer.values(data, 0, data.rows, {{}, 0, Contrast{}});
    const ShapValues one = explainer.values(data, 0, data.rows, {{}, 0, Contrast{1, 2}});
    const ShapValues against = explainer.values(data, 0, data.rows, {{}, 0, Contrast{-1, 0}});
    const Matrix scores = model.predict_scores(data);
    for (std::size_t i = 0; i < data.rows; ++i) {
      const float* const row = scores.row(i);
      const auto best = static_cast<std::int32_t>(std::max_element(row, row + classes) - row);
      ASSERT_EQ(top.classes[2 * i], best);
      ASSERT_EQ(why.classes[2 * i], best);
      ASSERT_EQ(why.classes[2 * i + 1], top.classes[2 * i + 1]);
      ASSERT_EQ(against.classes[2 * i + 1], 0);
      ASSERT_NE(against.classes[2 * i], 0);
      for (std::size_t f = 0; f < all.features; ++f) {
        for (const std::size_t column : {0U, 1U})
          ASSERT_NEAR(top.row(i)[f * 2 + column], of(i, f, top.classes[2 * i + column]), 1e-12);
        ASSERT_NEAR(why.row(i)[f], of(i, f, best) - of(i, f, top.classes[2 * i + 1]), 1e-12);
        ASSERT_NEAR(one.row(i)[f], of(i, f, 1) - of(i, f, 2), 1e-12);
        ASSERT_NEAR(against.row(i)[f], of(i, f, against.classes[2 * i]) - of(i, f, 0), 1e-12);
        if (i < 3 || i >= 40) continue;
        ASSERT_EQ(chosen.row(i - 3)[f * 3], chosen.row(i - 3)[f * 3 + 2]);
        ASSERT_NEAR(chosen.row(i - 3)[f * 3 + 1], of(i, f, 0), 1e-12);
      }
    }
  }
}

TEST(Explainer, GivesTheSameBitsForAnyThreadsAndBlocks) {
  const Ensemble ensemble = make(kCases[0]);
  const Model model = make_model(ensemble);
  const Dataset data = random_data(ensemble.schema, 200, 5);
  const ShapValues one = Explainer(model, {1, 0, nullptr}).values(data, 0, data.rows);
  const Explainer four(model, {4, 0, nullptr});
  EXPECT_EQ(one.values, four.values(data, 0, data.rows).values);
  for (const std::size_t begin : {0U, 77U, 199U}) {
    const ShapValues part = four.values(data, begin, data.rows);
    EXPECT_TRUE(std::equal(part.values.begin(), part.values.end(), one.row(begin)));
  }
}

// A chain of cuts of more features than a word has bits, against a short formula: the leaf at its
// end is reached by those who answer yes to all, each by chance of one half.
TEST(Explainer, ExplainsPathsOfManyFeatures) {
  constexpr std::size_t kLong = 150;
  Ensemble ensemble;
  ensemble.schema.classes = {"a"};
  ensemble.bias = {0};
  Forest& forest = ensemble.forest;
  forest.outputs = 1;
  std::vector<Node> nodes;
  Dataset data;
  data.rows = 1;
  for (std::size_t f = 0; f < kLong; ++f) {
    Node node;
    node.feature = static_cast<std::uint32_t>(f);
    node.left = f + 1 < kLong ? static_cast<std::int32_t>(f + 1) : ~0;
    node.right = ~static_cast<std::int32_t>(f + 1);
    nodes.push_back(node);
    ensemble.schema.features.push_back({"f" + std::to_string(f), FeatureType::kNumeric, {}});
    data.columns.push_back(Column::numeric("f" + std::to_string(f), {-1}));
  }
  std::vector<float> values(kLong + 1);
  values[0] = 1;
  append_tree(forest, nodes, values, 0, 1);
  forest.round_end = {1};
  // The cover of each right leaf is that of all below it.
  forest.leaf_cover.resize(kLong + 1);
  double below = forest.leaf_cover[0] = 1e-30F;
  for (std::size_t f = kLong; f-- > 0; below *= 2)
    forest.leaf_cover[f + 1] = static_cast<float>(below);
  const ShapValues found = Explainer(make_model(ensemble)).values(data, 0, 1);
  // All features count the same, and together they lift 2^-150 to 1.
  for (std::size_t f = 0; f < kLong; ++f) ASSERT_NEAR(found.values[f] * kLong, 1, 1e-9) << f;
}

TEST(Explainer, SaysWhatCannotBeExplained) {
  Ensemble ensemble = make(kCases[0]);
  const Dataset data = random_data(ensemble.schema, 3, 5);
  const Model model = make_model(ensemble);
  const Explainer explainer(model);
  const auto says = [&](const ShapRequest& request) {
    return testing::message_of<ParameterError>([&] { explainer.values(data, 0, 3, request); });
  };
  EXPECT_EQ(says({{3}, 0, {}}), "the model has no class 3: it has 3");
  EXPECT_EQ(says({{-1}, 0, {}}), "the model has no class -1: it has 3");
  EXPECT_EQ(says({{}, 0, Contrast{1, 1}}), "a class cannot be compared with itself");
  EXPECT_EQ(says({{}, 0, Contrast{9, -1}}), "the model has no class 9: it has 3");
  EXPECT_EQ(testing::message_of<ParameterError>([&] { explainer.values(data, 1, 4); }),
            "rows 1 to 4 of 3 cannot be explained");
  EXPECT_EQ(testing::message_of<ParameterError>([&] {
              Explainer(model, {1, 99, nullptr});
            }),
            "the model has 4 rounds, 99 cannot be explained");
  ensemble.forest.leaf_cover.clear();
  EXPECT_EQ(testing::message_of<ModelError>([&] { Explainer(make_model(ensemble)); }),
            "the model has no covers of its nodes, which version 0.2 writes with every training; "
            "give background rows to compare with, or train it again");
  const Explainer by_rows(make_model(ensemble), {1, 0, &data});
  EXPECT_EQ(by_rows.values(data, 0, 3).rows, 3U);
  Dataset none = random_data(ensemble.schema, 0, 5);
  EXPECT_EQ(testing::message_of<DataError>([&] {
              Explainer(model, {1, 0, &none});
            }),
            "no background rows to compare with");
}

TEST(Explainer, AveragesMagnitudes) {
  const Ensemble ensemble = make(kCases[0]);
  const Explainer explainer(make_model(ensemble));
  const Dataset data = random_data(ensemble.schema, 50, 5);
  const ShapValues all = explainer.values(data, 0, data.rows);
  const std::vector<double> means = explainer.mean_magnitudes(data);
  ASSERT_EQ(means.size(), all.features * all.columns);
  for (std::size_t j = 0; j < means.size(); ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < data.rows; ++i) sum += std::fabs(all.row(i)[j]);
    EXPECT_NEAR(means[j], sum / 50, 1e-12);
  }
}

}  // namespace
}  // namespace simplexboost
