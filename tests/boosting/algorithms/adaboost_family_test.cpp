// With two classes every algorithm of the AdaBoost family is binary AdaBoost: the same cuts, and
// the same steps up to the scale of its scores.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "boosting/algorithms/naive_binary.h"
#include "boosting/labelled_data.h"
#include "boosting/training_log.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::binary_weight;
using testing::column;
using testing::labelled_data;
using testing::NaiveBinaryBoosting;
using testing::StumpKind;

constexpr int kFamilyRounds = 15;

Dataset two_classes(std::uint64_t seed) {
  Dataset data = labelled_data({150, 2, 3, false, 0.15}, seed);
  Random random(seed, 1);
  // Uneven, so that no two cuts are equally good.
  for (std::size_t i = 0; i < data.rows; ++i) data.weights.push_back(0.5 + random.uniform());
  return data;
}

struct Row {
  std::string algorithm;
  std::string learner;
  StumpKind kind;
  double times;  // its step over AdaBoost's 1/2 ln((1-e)/e)
};

Parameters parameters_of(const Row& row) {
  Parameters result;
  result.algorithm = row.algorithm;
  result.learner = row.learner;
  result.rounds = kFamilyRounds;
  result.max_bins = 65536;
  if (row.algorithm == "samme" || row.algorithm == "adaboost-m1") result.criterion = "error";
  return result;
}

TEST(AdaBoostFamily, OfTwoClassesEveryAlgorithmOfVotesIsAdaBoost) {
  const std::vector<Row> rows = {{"adaboost-mh", "hamming-stump", StumpKind::kVote, 1},
                                 {"adaboost-mh", "stump", StumpKind::kVote, 1},
                                 {"adaboost-mr", "hamming-stump", StumpKind::kVote, 1},
                                 {"adaboost-ecc", "stump", StumpKind::kVote, 1},
                                 {"one-vs-all", "stump", StumpKind::kVote, 1},
                                 {"samme", "stump", StumpKind::kClasses, 2},
                                 {"adaboost-m1", "stump", StumpKind::kClasses, 2},
                                 {"adaboost-mm", "stump", StumpKind::kClasses, 1},
                                 {"adaboost-m2", "stump", StumpKind::kClasses, 2}};
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Dataset data = two_classes(seed);
    for (const Row& row : rows) {
      SCOPED_TRACE(row.algorithm + " " + row.learner + " " + std::to_string(seed));
      const Model model = train(data, parameters_of(row));
      const std::vector<double> steps = column(model, "step");
      NaiveBinaryBoosting twin(data, binary_weight("exponential"), row.kind);
      for (std::size_t t = 0; t < steps.size(); ++t) {
        const double alpha = twin.round().alpha;
        ASSERT_NEAR(steps[t], row.times * alpha, 1e-3 * row.times * alpha + 1e-5) << t;
      }
      EXPECT_EQ(steps.size(), static_cast<std::size_t>(kFamilyRounds));
      const std::vector<std::int32_t> predicted = model.predict(data);
      for (std::size_t i = 0; i < data.rows; ++i)
        if (std::fabs(twin.scores()[i]) > 1e-3) {
          EXPECT_EQ(predicted[i], twin.scores()[i] > 0 ? 0 : 1) << i;
        }
    }
  }
}

// AdaBoost of stumps that say, on each side, the weighted mean of y, chosen by the Gini index:
// h in [-1, 1], U = sum D y h, alpha = 1/2 ln((1+U)/(1-U)). Returns U of each round.
std::vector<double> confident_adaboost(const Dataset& data) {
  const std::size_t rows = data.rows;
  std::vector<std::vector<double>> x(data.columns.size(), std::vector<double>(rows));
  for (std::size_t f = 0; f < x.size(); ++f) data.columns[f].copy(0, rows, x[f].data());
  const auto y = [&](std::size_t i) { return data.labels.codes[i] == 0 ? 1.0 : -1.0; };
  std::vector<double> d = data.weights;
  std::vector<double> result;
  for (int t = 0; t < kFamilyRounds; ++t) {
    double sum = 0;
    for (const double weight : d) sum += weight;
    for (double& weight : d) weight /= sum;
    double best = -1;
    std::vector<double> h(rows);
    for (const std::vector<double>& values : x) {
      for (const double cut : values) {
        double weight[2] = {0, 0};
        double pull[2] = {0, 0};
        for (std::size_t i = 0; i < rows; ++i) {
          weight[values[i] <= cut ? 0 : 1] += d[i];
          pull[values[i] <= cut ? 0 : 1] += d[i] * y(i);
        }
        if (!(weight[0] > 0 && weight[1] > 0)) continue;
        // The sum of squared class weights over a side's weight is (W^2 + G^2) / (2 W).
        const double purity = pull[0] * pull[0] / weight[0] + pull[1] * pull[1] / weight[1];
        if (purity <= best) continue;
        best = purity;
        for (std::size_t i = 0; i < rows; ++i)
          h[i] = pull[values[i] <= cut ? 0 : 1] / weight[values[i] <= cut ? 0 : 1];
      }
    }
    double u = 0;
    for (std::size_t i = 0; i < rows; ++i) u += d[i] * y(i) * h[i];
    for (std::size_t i = 0; i < rows; ++i) d[i] *= std::exp(-std::atanh(u) * y(i) * h[i]);
    result.push_back(u);
  }
  return result;
}

TEST(AdaBoostFamily, OfTwoClassesEveryAlgorithmOfSharesIsAdaBoostOfConfidences) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Dataset data = two_classes(seed);
    const std::vector<double> u = confident_adaboost(data);
    for (const std::string algorithm : {"grploss", "grploss-general", "boostma"}) {
      SCOPED_TRACE(algorithm);
      Row row{algorithm, "stump", StumpKind::kClasses, 2};
      Parameters wanted = parameters_of(row);
      wanted.uninformed_share = algorithm == "boostma" ? 0.5 : 0;
      const std::vector<double> steps = column(train(data, wanted), "step");
      ASSERT_EQ(steps.size(), u.size());
      for (std::size_t t = 0; t < u.size(); ++t)
        EXPECT_NEAR(steps[t], 2 * std::atanh(u[t]), 1e-3 * steps[t]) << t;
    }
  }
}

// Freund and Schapire (1997): the training error of AdaBoost.M1 is at most the product of
// 2 sqrt(e (1 - e)), for any number of classes.
TEST(AdaBoostFamily, ErrorOfM1IsBoundedByTheProductOfZ) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const Dataset data = labelled_data(
        {20 + random.below(80), 2 + random.below(4), 2 + random.below(3), true, 0.2}, seed);
    Parameters wanted = parameters_of({"adaboost-m1", "tree", StumpKind::kClasses, 2});
    wanted.depth = 3;
    const Model model = train(data, wanted);
    if (model.rounds() == 0) continue;
    const std::vector<double> e = column(model, "weighted_error");
    const std::vector<double> error = column(model, "train_error");
    double bound = 1;
    for (std::size_t t = 0; t < e.size(); ++t) {
      bound *= 2 * std::sqrt(std::max(e[t], 1e-12) * (1 - e[t]));
      EXPECT_LE(error[t], bound + 1e-6) << seed << " " << t;
    }
  }
}

}  // namespace
}  // namespace simplexboost
