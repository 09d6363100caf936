// AdaBoost.MM, M2 and MR: boosting by weights on mislabels.
#include <gtest/gtest.h>

#include <cmath>

#include "boosting/labelled_data.h"
#include "boosting/training_log.h"
#include "boosting/unweighted_problem.h"
#include "codeword/make_codebook.h"
#include "data/data_files.h"
#include "loss/loss.h"
#include "optimizer/gradient_boosting.h"
#include "optimizer/mislabel_boosting.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::column;
using testing::every_cut;
using testing::labelled_data;
using testing::unweighted_problem;

std::vector<float> random_scores(const Dataset& data, double size, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> scores(data.rows * data.labels.classes.size());
  for (float& score : scores) score = static_cast<float>(size * random.normal());
  return scores;
}

// gamma(v) = v and phi(v) = e^-2v: the loss of AdaBoost.MM (notes on nips2011).
class DoubledPair : public GammaPhi {
 public:
  std::string name() const override { return "doubled"; }
  double gamma(double s) const override { return s; }
  double gamma_slope(double) const override { return 1; }
  double gamma_curvature(double) const override { return 0; }
  double phi(double v) const override { return std::exp(-2 * v); }
  double phi_slope(double v) const override { return -2 * std::exp(-2 * v); }
  double phi_curvature(double v) const override { return 4 * std::exp(-2 * v); }
};

TEST(AdaBoostMm, PullsAreThoseOfGradientBoosting) {
  const Dataset data = labelled_data({80, 4, 2, false, 0.3}, 1);
  const Problem problem = unweighted_problem(data);
  CodebookSpec spec;
  spec.kind = "canonical";
  spec.classes = 4;
  GradientBoosting gradient(problem, make_codebook(spec),
                            make_loss(std::make_shared<DoubledPair>()), PullSpace::kClasses);
  MislabelBoosting mm(problem, {.rate = 1});
  const std::vector<float> scores = random_scores(data, 2, 2);
  const RoundTarget ours = mm.target(scores.data());
  const RoundTarget theirs = gradient.target(scores.data());
  double ratio = 0;
  for (std::size_t at = 0; at < scores.size(); ++at) {
    if (at == 0) ratio = static_cast<double>(theirs.pulls[0]) / static_cast<double>(ours.pulls[0]);
    const double wanted = ratio * static_cast<double>(ours.pulls[at]);
    EXPECT_NEAR(theirs.pulls[at], wanted, 1e-4 * std::fabs(wanted) + 1e-12) << at;
  }
}

// Weights by the definition: C_{i,l} = e^{f_l - f_c}, and minus their sum for c.
TEST(AdaBoostMm, PullsAreMinusTheCosts) {
  const Dataset data = labelled_data({50, 5, 2, false, 0.3}, 3);
  const Problem problem = unweighted_problem(data);
  MislabelBoosting mm(problem, {.rate = 1});
  const std::vector<float> scores = random_scores(data, 3, 4);
  const RoundTarget target = mm.target(scores.data());
  double sum = 0;
  const auto cost = [&](std::size_t i, std::size_t l) {
    const auto c = static_cast<std::size_t>(data.labels.codes[i]);
    return l == c ? 0 : std::exp(static_cast<double>(scores[i * 5 + l]) - scores[i * 5 + c]);
  };
  for (std::size_t i = 0; i < data.rows; ++i)
    for (std::size_t l = 0; l < 5; ++l) sum += cost(i, l);
  for (std::size_t i = 0; i < data.rows; ++i) {
    double row = 0;
    for (std::size_t l = 0; l < 5; ++l) {
      row += cost(i, l) / sum;
      if (static_cast<std::int32_t>(l) == data.labels.codes[i]) continue;
      EXPECT_NEAR(target.pulls[i * 5 + l], -cost(i, l) / sum, 1e-5 * cost(i, l) / sum + 1e-12);
    }
    EXPECT_NEAR(target.weights[i], row, 1e-5 * row + 1e-12);
    EXPECT_NEAR(target.pulls[i * 5 + static_cast<std::size_t>(data.labels.codes[i])], row,
                1e-5 * row + 1e-12);
  }
}

TEST(MislabelWeights, StandScoresOfAnySize) {
  const Dataset data = labelled_data({60, 4, 2, false, 0.3}, 5);
  const Problem problem = unweighted_problem(data);
  for (const double size : {1e-6, 1.0, 1e3, 1e6}) {
    MislabelBoosting booster(problem, {});
    const std::vector<float> scores = random_scores(data, size, 6);
    const RoundTarget target = booster.target(scores.data());
    double sum = 0;
    for (std::size_t i = 0; i < data.rows; ++i) sum += static_cast<double>(target.weights[i]);
    EXPECT_NEAR(sum, 1, 1e-5) << size;
  }
}

// Two classes: the weights, cuts and steps of AdaBoost, whose loss is e^{-yF}. SAMME is AdaBoost
// then, with steps twice as long for votes that are half as far apart.
TEST(AdaBoostMm, TwoClassesAreAdaBoost) {
  const Dataset data = labelled_data({300, 2, 4, true, 0.2}, 7);
  const Model ada = train(data, every_cut("adaboost-mh", "hamming-stump", 30));
  const std::vector<double> theirs = column(ada, "step");
  const std::vector<std::pair<std::string, double>> ours = {
      {"adaboost-mm", 1}, {"adaboost-m2", 2}, {"adaboost-mr", 1}};
  for (const auto& [name, times] : ours) {
    const std::string learner = name == "adaboost-mr" ? "hamming-stump" : "stump";
    const Model model = train(data, every_cut(name, learner, 30));
    const std::vector<double> steps = column(model, "step");
    ASSERT_EQ(steps.size(), theirs.size()) << name;
    // A cut of AdaBoost.MH must vote for different classes on its sides; one class on both is the
    // only more that a classifier may say.
    for (std::size_t t = 0; t < steps.size(); ++t)
      EXPECT_NEAR(steps[t], times * theirs[t], 1e-3 * times * theirs[t]) << name << " " << t;
    EXPECT_EQ(model.predict(data), ada.predict(data)) << name;
  }
}

TEST(AdaBoostMm, RiskFallsAtLeastByTheRootOfOneMinusTheEdgeSquared) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const Dataset data = labelled_data(
        {20 + random.below(100), 2 + random.below(5), 2 + random.below(3), true, 0.3}, seed);
    for (const std::string name : {"adaboost-mm", "adaboost-m2", "adaboost-mr"}) {
      const Model model =
          train(data, every_cut(name, name == "adaboost-mr" ? "hamming-stump" : "stump", 15));
      if (name == "adaboost-m2") {
        const std::vector<double> error = column(model, "train_error");
        const std::vector<double> bound = column(model, "bound_23");
        for (std::size_t t = 0; t < error.size(); ++t) EXPECT_LE(error[t], bound[t] + 1e-6);
        continue;
      }
      const std::vector<double> edge = column(model, "edge");
      const std::vector<double> risk = column(model, "log_risk");
      for (const double e : edge) EXPECT_GT(e, 0);
      for (std::size_t t = 0; t + 1 < edge.size(); ++t)
        EXPECT_LE(risk[t + 1], risk[t] + 0.5 * std::log(1 - edge[t] * edge[t]) + 1e-4) << name;
    }
  }
}

// The best {0,1}-valued stump is no worse than the one of class proportions.
TEST(AdaBoostM2, SubsetsHaveTheLeastPseudoLossOfTheFirstRound) {
  const Dataset data = labelled_data({300, 4, 3, true, 0.2}, 9);
  Parameters wanted = every_cut("adaboost-m2", "stump", 20);
  const double subset = column(train(data, wanted), "pseudo_loss")[0];
  wanted.leaf_values = "proportion";
  const Model model = train(data, wanted);
  EXPECT_LT(subset, column(model, "pseudo_loss")[0]);
  const std::vector<double> error = column(model, "train_error");
  const std::vector<double> bound = column(model, "bound_23");
  for (std::size_t t = 0; t < error.size(); ++t) EXPECT_LE(error[t], bound[t] + 1e-6);
}

// jmlr2005 (23), begun with K - 1: each round multiplies it by the factor of its pseudo-loss.
TEST(AdaBoostM2, BoundIsTheProductOfTheRoundsFactors) {
  const Dataset data = labelled_data({200, 4, 3, true, 0.2}, 5);
  const Model model = train(data, every_cut("adaboost-m2", "stump", 20));
  const std::vector<double> loss = column(model, "pseudo_loss");
  const std::vector<double> bound = column(model, "bound_23");
  ASSERT_GT(loss.size(), 5U);
  auto expected = static_cast<double>(data.labels.classes.size() - 1);
  for (std::size_t t = 0; t < loss.size(); ++t) {
    expected *= 2 * std::sqrt(loss[t] * (1 - loss[t]));
    EXPECT_NEAR(bound[t], expected, 1e-4 * expected) << t;
  }
}

// The least pseudo-loss of any stump that says the shares of the classes, by trying all of them
// with the weights of the first round.
double least_pseudo_loss_of_shares(const Dataset& data) {
  const std::size_t classes = data.labels.classes.size();
  const auto others = static_cast<double>(classes - 1);
  double least = 1;
  for (std::size_t f = 0; f < data.columns.size(); ++f) {
    const std::vector<double> x = testing::values(data, f);
    for (const double cut : x) {
      double edge = 0;
      for (const bool left : {false, true}) {
        std::vector<double> own(classes);  // rows of each class on this side
        double all = 0;
        for (std::size_t i = 0; i < data.rows; ++i) {
          if ((x[i] <= cut) != left) continue;
          own[static_cast<std::size_t>(data.labels.codes[i])] += 1;
          all += 1;
        }
        // <R, h>: a class pulls by its own rows, and is pulled at by those of the others.
        for (const double one : own)
          if (all > 0) edge += (one - (all - one) / others) * one / all;
      }
      least = std::min(least, (1 - edge / static_cast<double>(data.rows)) / 2);
    }
  }
  return least;
}

TEST(AdaBoostM2, SharesAreCutByTheirPseudoLoss) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Dataset data = labelled_data({60 + 3 * seed, 3 + seed % 4, 3, false, 0.2}, seed);
    Parameters wanted = every_cut("adaboost-m2", "stump", 30);
    wanted.leaf_values = "proportion";
    wanted.max_bins = 65536;
    const Model model = train(data, wanted);
    EXPECT_NEAR(column(model, "pseudo_loss")[0], least_pseudo_loss_of_shares(data), 1e-5) << seed;
    const std::vector<double> error = column(model, "train_error");
    const std::vector<double> bound = column(model, "bound_23");
    for (std::size_t t = 0; t < error.size(); ++t) EXPECT_LE(error[t], bound[t] + 1e-6);
  }
}

// Row i has the labels of its bits, and features that tell them.
Dataset sets_of_labels() {
  Dataset data;
  data.rows = 64;
  data.labels.offsets = {0};
  std::vector<std::vector<double>> x(3);
  for (std::size_t i = 0; i < data.rows; ++i) {
    for (std::size_t l = 0; l < 3; ++l) {
      x[l].push_back(static_cast<double>(i >> l & 1));
      if ((i >> l & 1) != 0) data.labels.codes.push_back(static_cast<std::int32_t>(l));
    }
    data.labels.offsets.push_back(data.labels.codes.size());
  }
  for (std::size_t l = 0; l < 3; ++l) {
    data.columns.push_back(Column::numeric("x" + std::to_string(l), x[l]));
    data.labels.classes.push_back("k" + std::to_string(l));
  }
  data.labels.columns = {"labels"};
  return data;
}

TEST(AdaBoostMr, RanksTheLabelsThatHoldAboveTheOthers) {
  const Dataset data = sets_of_labels();
  Parameters wanted = every_cut("adaboost-mr", "hamming-stump", 30);
  const Model model = train(data, wanted);
  const Matrix scores = model.predict_scores(data);
  for (std::size_t i = 0; i < data.rows; ++i)
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        if ((i >> a & 1) != 0 && (i >> b & 1) == 0) {
          EXPECT_GT(scores.row(i)[a], scores.row(i)[b]);
        }
}

TEST(AdaBoostMr, SaysThatThereIsNothingToRank) {
  Dataset data = sets_of_labels();
  data.labels.codes.clear();
  data.labels.offsets.assign(data.rows + 1, 0);
  const Model model = train(data, every_cut("adaboost-mr", "hamming-stump", 5));
  EXPECT_EQ(model.rounds(), 0U);
  EXPECT_NE(model.log().stop_reason.find("no row has both"), std::string::npos);
}

}  // namespace
}  // namespace simplexboost
