// AdaBoost.ECC: colours of the classes, weights of mislabels across them, and the bound.
#include "optimizer/colour_boosting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "boosting/labelled_data.h"
#include "boosting/training_log.h"
#include "boosting/unweighted_problem.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::column;
using testing::labelled_data;
using testing::unweighted_problem;

Parameters ecc_parameters(const std::string& colouring, int rounds) {
  Parameters result;
  result.algorithm = colouring == "random" ? "adaboost-ecc-random" : "adaboost-ecc";
  result.rounds = rounds;
  result.max_bins = 65536;
  return result;
}

std::vector<float> random_scores(const Dataset& data, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> scores(data.rows * data.labels.classes.size());
  for (float& score : scores) score = static_cast<float>(random.normal());
  return scores;
}

// By the definition: D_{i,l} in proportion to exp((f_l - f_c) / 2), summed over the classes of the
// other colour.
TEST(AdaBoostEcc, PullsAreTheMislabelWeightsAcrossTheColours) {
  const Dataset data = labelled_data({80, 5, 3, false, 0.2}, 1);
  const Problem problem = unweighted_problem(data);
  const std::vector<float> scores = random_scores(data, 2);
  for (const Colouring colouring : {Colouring::kRandom, Colouring::kMaxCut}) {
    ColourBoosting booster(problem, colouring, 3);
    const RoundTarget target = booster.target(scores.data());
    ASSERT_EQ(target.width, 1U);
    ASSERT_EQ(target.to.code.size(), 5U);
    const auto weight = [&](std::size_t i, std::size_t l) {
      const auto c = static_cast<std::size_t>(data.labels.codes[i]);
      return l == c ? 0
                    : std::exp(0.5 * static_cast<double>(scores[i * 5 + l] - scores[i * 5 + c]));
    };
    double all = 0;
    for (std::size_t i = 0; i < data.rows; ++i)
      for (std::size_t l = 0; l < 5; ++l) all += weight(i, l);
    for (std::size_t i = 0; i < data.rows; ++i) {
      const float own = target.to.code[static_cast<std::size_t>(data.labels.codes[i])];
      double across = 0;
      for (std::size_t l = 0; l < 5; ++l)
        if (target.to.code[l] != own) across += weight(i, l) / all;
      EXPECT_NEAR(static_cast<double>(target.pulls[i]), static_cast<double>(own) * across, 1e-6);
      EXPECT_NEAR(static_cast<double>(target.weights[i]), across, 1e-6);
    }
  }
}

TEST(AdaBoostEcc, MaxCutHasMoreWeightAcrossThanChance) {
  const Dataset data = labelled_data({300, 8, 3, false, 0.2}, 4);
  const std::vector<double> random = column(train(data, ecc_parameters("random", 40)), "cut");
  const std::vector<double> best = column(train(data, ecc_parameters("max-cut", 40)), "cut");
  double sums[2] = {0, 0};
  for (std::size_t t = 0; t < best.size(); ++t) {
    EXPECT_GE(best[t], 0.5 - 1e-6);  // what local search guarantees
    sums[0] += random[t];
    sums[1] += best[t];
  }
  EXPECT_GT(sums[1], sums[0]);
}

// No class can change its side and bring more weight across.
TEST(AdaBoostEcc, MaxCutIsALocalOptimum) {
  const Dataset data = labelled_data({200, 7, 3, false, 0.2}, 5);
  const Problem problem = unweighted_problem(data);
  const std::vector<float> scores = random_scores(data, 6);
  MislabelWeights mislabels(problem, 0.5);
  mislabels.set_scores(scores.data());
  const auto cut = [&](const std::vector<float>& colours) {
    double sum = 0;
    for (std::size_t i = 0; i < data.rows; ++i)
      for (std::size_t l = 0; l < 7; ++l)
        if (colours[l] != colours[static_cast<std::size_t>(data.labels.codes[i])])
          sum -= static_cast<double>(mislabels.pulls()[i * 7 + l]);
    return sum;
  };
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    ColourBoosting booster(problem, Colouring::kMaxCut, seed);
    booster.target(scores.data());
    std::vector<float> colours = booster.colours();
    const double found = cut(colours);
    for (float& colour : colours) {
      colour = -colour;
      EXPECT_LE(cut(colours), found + 1e-6);
      colour = -colour;
    }
  }
}

// The sum of the weights falls by 1 - U + U sqrt(1 - gamma^2), U the weight across the colours.
TEST(AdaBoostEcc, RiskFallsByZ) {
  for (const std::string colouring : {"random", "max-cut"}) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      const Dataset data = labelled_data({100, 2 + seed % 5, 3, true, 0.2}, seed);
      Parameters wanted = ecc_parameters(colouring, 20);
      wanted.learner = "stump";
      const Model model = train(data, wanted);
      const std::vector<double> edge = column(model, "edge");
      const std::vector<double> cut = column(model, "cut");
      const std::vector<double> risk = column(model, "log_risk");
      for (std::size_t t = 0; t + 1 < edge.size(); ++t) {
        const double z = 1 - cut[t] + cut[t] * std::sqrt(1 - edge[t] * edge[t]);
        EXPECT_NEAR(std::exp(risk[t + 1] - risk[t]), z, 1e-5) << colouring << " " << t;
      }
      // A row is wrong only if one of its mislabels weighs 1 or more: error <= (K-1) mean.
      const std::vector<double> error = column(model, "train_error");
      const auto others = static_cast<double>(data.labels.classes.size() - 1);
      for (std::size_t t = 0; t + 1 < edge.size(); ++t)
        EXPECT_LE(error[t], others * std::exp(risk[t + 1]) + 1e-6);
    }
  }
}

TEST(AdaBoostEcc, EveryTreeMovesAllClassesByTheirColours) {
  const Dataset data = labelled_data({300, 5, 3, true, 0.1}, 7);
  const Model model = train(data, ecc_parameters("max-cut", 30));
  const Forest& forest = model.forest();
  ASSERT_EQ(forest.trees.size(), 30U);
  for (const TreeSpan& tree : forest.trees) {
    ASSERT_EQ(tree.width, 5U);
    for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf) {
      const std::vector<float> values = forest.leaf_values.copy(tree.value_begin + 5 * leaf, 5);
      for (std::size_t l = 1; l < 5; ++l) EXPECT_EQ(std::fabs(values[l]), std::fabs(values[0]));
    }
  }
  double wrong = 0;
  const std::vector<std::int32_t> predicted = model.predict(data);
  for (std::size_t i = 0; i < data.rows; ++i) wrong += predicted[i] != data.labels.codes[i] ? 1 : 0;
  EXPECT_LT(wrong / 300, 0.12);
}

}  // namespace
}  // namespace simplexboost
