#include "optimizer/target/leaf_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "optimizer/labelled_problem.h"
#include "optimizer/newton_boosting.h"

namespace simplexboost {
namespace {

// The rows of one leaf under the softmax of their scores.
struct Leaf {
  std::size_t classes;
  std::vector<double> scores;  // rows x classes
  std::vector<std::size_t> labels;
  std::vector<double> weights;
  std::vector<double> pulls;
  std::vector<double> curvature;

  Leaf(std::size_t rows, std::size_t count, double spread, Random& random) : classes(count) {
    pulls.assign(classes, 0);
    curvature.assign(classes, 0);
    for (std::size_t i = 0; i < rows; ++i) {
      labels.push_back(random.below(classes));
      weights.push_back(std::pow(10, 3 * random.normal()));
      for (std::size_t k = 0; k < classes; ++k) scores.push_back(spread * random.normal());
      const std::vector<double> p = shares(i, {});
      for (std::size_t k = 0; k < classes; ++k) {
        pulls[k] += weights[i] * ((k == labels[i] ? 1 : 0) - p[k]);
        curvature[k] += weights[i] * p[k] * (1 - p[k]);
      }
    }
  }

  std::vector<double> shares(std::size_t row, const std::vector<double>& moved) const {
    std::vector<double> p(classes);
    for (std::size_t k = 0; k < classes; ++k)
      p[k] = scores[row * classes + k] + (moved.empty() ? 0 : moved[k]);
    const double top = *std::max_element(p.begin(), p.end());
    for (double& x : p) x = std::exp(x - top);
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& x : p) x /= sum;
    return p;
  }

  double loss(double rate, const std::vector<float>& step) const {
    std::vector<double> moved(step.begin(), step.end());
    for (double& x : moved) x *= rate;
    double sum = 0;
    for (std::size_t i = 0; i < labels.size(); ++i)
      sum -= weights[i] * std::log(std::max(shares(i, moved)[labels[i]], 1e-300));
    return sum;
  }

  std::vector<float> newton(double l2) const {
    const auto count = static_cast<double>(classes);
    std::vector<float> step(classes);
    for (std::size_t k = 0; k < classes; ++k)
      step[k] = static_cast<float>(pulls[k] / (count / (count - 1) * curvature[k] + l2 + 1e-30));
    return step;
  }
};

TEST(LeafStep, NeverRaisesTheLossOfTheLeaf) {
  Random random(1);
  int raised = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const std::size_t classes = 2 + random.below(trial % 10 == 0 ? 200 : 8);
    const Leaf leaf(1 + random.below(12), classes, 6 * random.uniform(), random);
    for (const double l2 : {0.0, 1e-3, 1.0})
      for (const double rate : {0.1, 1.0, 10.0}) {
        std::vector<float> step = leaf.newton(l2);
        const std::vector<float> zero(classes);
        const double before = leaf.loss(rate, zero);
        raised += leaf.loss(rate, step) > before * (1 + 1e-6) ? 1 : 0;
        bound_leaf_step(leaf.pulls, leaf.curvature, rate, step);
        EXPECT_LE(leaf.loss(rate, step), before * (1 + 1e-6))
            << classes << " " << l2 << " " << rate;
      }
  }
  EXPECT_GT(raised, 100);  // else the bound would have had nothing to do
}

TEST(LeafStep, GoesOnAsFarAsItMay) {
  Random random(2);
  for (int trial = 0; trial < 50; ++trial) {
    const Leaf leaf(5, 4, 1, random);
    std::vector<float> step = leaf.newton(0);
    bound_leaf_step(leaf.pulls, leaf.curvature, 1, step);
    EXPECT_LT(leaf.loss(1, step), leaf.loss(1, std::vector<float>(4)) * 0.999);
  }
}

TEST(LeafStep, LeavesUsualStepsAlone) {
  Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const Leaf leaf(50, 3 + random.below(5), 1, random);
    const std::vector<float> newton = leaf.newton(1);
    std::vector<float> step = newton;
    bound_leaf_step(leaf.pulls, leaf.curvature, 0.1, step);
    EXPECT_EQ(step, newton);
  }
}

// Pulls far from 1 are scaled; what the penalty means must not be.
TEST(NewtonBoosting, PenaltyDoesNotDependOnTheScaleOfPulls) {
  Random random(4);
  const testing::LabelledProblem rows(40, 3, random);
  const Problem problem = rows.problem();
  std::vector<float> scores(std::size_t{40} * 3);
  for (std::size_t i = 0; i < 40; ++i)
    scores[i * 3 + static_cast<std::size_t>(rows.labels.codes[i])] = 200;
  NewtonBoosting newton(problem, Codebook::canonical(3), make_loss("exponential"), {});
  const RoundTarget target = newton.target(scores.data());
  const std::vector<std::uint32_t> row{0};
  AlignedVector<float> scratch;
  const LeafNumbers numbers = target.leaves->numbers(row, scratch);
  const std::vector<double> pulls(numbers.pulls, numbers.pulls + 3);
  const std::vector<double> curvature(numbers.curvature, numbers.curvature + 3);
  std::vector<float> values(3);
  target.leaves->set_values({pulls, curvature}, target.l2_factor * 1.0, values.data());
  // Margins of 100: pulls of e^-100, against a penalty of 1.
  for (const float value : values) EXPECT_LT(std::fabs(value), 1e-30F);
}

}  // namespace
}  // namespace simplexboost
