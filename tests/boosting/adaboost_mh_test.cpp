// The identities of AdaBoost.MH (icml2014, section 2), from the log of a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "boosting/labelled_data.h"
#include "boosting/training_log.h"
#include "model/ensemble.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::column;
using testing::DataShape;
using testing::labelled_data;

Parameters parameters_of(const std::string& learner, int rounds) {
  Parameters result;
  result.algorithm = "adaboost-mh";
  result.learner = learner;
  result.rounds = rounds;
  result.max_bins = 65536;
  return result;
}

// W of the first round: 1/2 for the class, 1/(2(K-1)) for each other one, over n.
double first_weight(const Dataset& data, bool is_class) {
  const auto others = static_cast<double>(data.labels.classes.size() - 1);
  return (is_class ? 0.5 : 0.5 / others) / static_cast<double>(data.rows);
}

double hamming_loss(const Dataset& data, const Matrix& scores) {
  double loss = 0;
  for (std::size_t i = 0; i < data.rows; ++i)
    for (std::size_t l = 0; l < scores.columns; ++l) {
      const bool is_class = static_cast<std::size_t>(data.labels.codes[i]) == l;
      if ((scores.row(i)[l] > 0) != is_class) loss += first_weight(data, is_class);
    }
  return loss;
}

TEST(AdaBoostMh, RiskFallsByTheRootOfOneMinusTheEdgeSquared) {
  for (const std::string learner : {"hamming-stump", "hamming-tree"}) {
    const Dataset data = labelled_data({600, 5, 5, true, 0.1}, 1);
    const Model model = train(data, parameters_of(learner, 60));
    const std::vector<double> edge = column(model, "edge");
    const std::vector<double> step = column(model, "step");
    const std::vector<double> log_risk = column(model, "log_risk");
    EXPECT_NEAR(log_risk[0], 0, 1e-6);  // the weights begin with sum 1
    for (std::size_t t = 0; t + 1 < edge.size(); ++t) {
      EXPECT_GT(edge[t], 0);
      EXPECT_NEAR(step[t], std::atanh(edge[t]), 1e-9);
      const double z = std::exp(log_risk[t + 1] - log_risk[t]);
      EXPECT_NEAR(z, std::sqrt(1 - edge[t] * edge[t]), 1e-6) << learner << " round " << t;
    }
  }
}

TEST(AdaBoostMh, HammingLossIsBoundedByTheProductOfZ) {
  const Dataset data = labelled_data({400, 4, 4, true, 0.2}, 2);
  const Model model = train(data, parameters_of("hamming-tree", 40));
  const std::vector<double> edge = column(model, "edge");
  std::vector<std::size_t> rounds(edge.size());
  for (std::size_t t = 0; t < rounds.size(); ++t) rounds[t] = t + 1;
  double bound = 1;
  model.predict_staged(data, rounds, [&](std::size_t round, const Matrix& scores) {
    bound *= std::sqrt(1 - edge[round - 1] * edge[round - 1]);
    EXPECT_LE(hamming_loss(data, scores), bound + 1e-9) << "round " << round;
  });
}

// Binary AdaBoost with decision stumps, by the book; returns the edges of its rounds.
std::vector<double> binary_adaboost(const Dataset& data, int rounds) {
  const std::size_t rows = data.rows;
  std::vector<std::vector<double>> x;
  std::vector<std::vector<std::size_t>> order;
  for (const Column& column : data.columns) {
    x.emplace_back(rows);
    column.copy(0, rows, x.back().data());
    order.emplace_back(rows);
    for (std::size_t i = 0; i < rows; ++i) order.back()[i] = i;
    std::sort(order.back().begin(), order.back().end(),
              [&](std::size_t a, std::size_t b) { return x.back()[a] < x.back()[b]; });
  }
  const auto sign = [&](std::size_t i) { return data.labels.codes[i] == 1 ? 1.0 : -1.0; };
  std::vector<double> w(rows, 1 / static_cast<double>(rows));
  std::vector<double> edges;
  for (int t = 0; t < rounds; ++t) {
    double constant = 0;
    for (std::size_t i = 0; i < rows; ++i) constant += w[i] * sign(i);
    double best = std::fabs(constant);
    double vote = constant < 0 ? -1 : 1;
    std::size_t best_feature = 0;
    double threshold = -1e300;
    for (std::size_t f = 0; f < x.size(); ++f) {
      double edge = constant;
      for (std::size_t k = 0; k + 1 < rows; ++k) {
        const std::size_t i = order[f][k];
        edge -= 2 * w[i] * sign(i);
        if (std::fabs(edge) <= best) continue;
        best = std::fabs(edge);
        vote = edge < 0 ? -1 : 1;
        best_feature = f;
        threshold = (x[f][i] + x[f][order[f][k + 1]]) / 2;
      }
    }
    edges.push_back(best);
    const double alpha = std::atanh(best);
    double sum = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const double h = vote * (x[best_feature][i] > threshold ? 1 : -1);
      w[i] *= std::exp(-alpha * h * sign(i));
      sum += w[i];
    }
    for (double& weight : w) weight /= sum;
  }
  return edges;
}

TEST(AdaBoostMh, IsBinaryAdaBoostForTwoClasses) {
  const Dataset data = labelled_data({300, 2, 3, false, 0.1}, 3);
  const Model model = train(data, parameters_of("hamming-stump", 25));
  const std::vector<double> edge = column(model, "edge");
  const std::vector<double> expected = binary_adaboost(data, 25);
  ASSERT_EQ(edge.size(), expected.size());
  for (std::size_t t = 0; t < edge.size(); ++t) EXPECT_NEAR(edge[t], expected[t], 2e-6) << t;
  const Matrix scores = model.predict_scores(data);
  for (std::size_t i = 0; i < data.rows; ++i) EXPECT_FLOAT_EQ(scores.row(i)[0], -scores.row(i)[1]);
}

}  // namespace
}  // namespace simplexboost
