#include "optimizer/gradient_boosting.h"

#include <gtest/gtest.h>

#include <cmath>

#include "optimizer/labelled_problem.h"

namespace simplexboost {
namespace {

using testing::CodewordHypothesis;
using testing::LabelledProblem;
using testing::random_scores;

TEST(GradientBoosting, ClosedFormStepIsThatOfTheLineSearch) {
  Random random(1);
  for (const std::size_t classes : {2U, 3U, 7U}) {
    const LabelledProblem rows(200, classes, random);
    const Problem problem = rows.problem();
    const Codebook simplex = Codebook::simplex(classes);
    const CodewordHypothesis hypothesis(simplex, rows.labels, random);
    const std::vector<float> scores = random_scores(200 * simplex.dimension(), random);
    const auto step = [&](PullSpace space) {
      GradientBoosting booster(problem, simplex, make_loss("exponential"), space);
      booster.target(scores.data());
      return booster.step(hypothesis.vectors()).length;
    };
    const double closed = step(PullSpace::kClasses);
    EXPECT_GT(closed, 0);
    EXPECT_NEAR(step(PullSpace::kOutputs), closed, 1e-3 * closed) << classes << " classes";
  }
}

// gamma(s) = s, phi(v) = e^-2v.
class CostPair : public GammaPhi {
 public:
  std::string name() const override { return "costs"; }
  double gamma(double s) const override { return s; }
  double gamma_slope(double /*s*/) const override { return 1; }
  double gamma_curvature(double /*s*/) const override { return 0; }
  double phi(double v) const override { return std::exp(-2 * v); }
  double phi_slope(double v) const override { return -2 * std::exp(-2 * v); }
  double phi_curvature(double v) const override { return 4 * std::exp(-2 * v); }
};

// AdaBoost.MM's cost matrix is C_il = e^{f_l - f_c} for l != c and C_ic = -sum of the others; its
// learner minimises sum_i C_{i, h(x_i)}. Canonical codewords have v_l = (f_c - f_l) / 2, so the
// pulls of the classes are -2 C, and those on the outputs, u = f / 2, are -C.
TEST(GradientBoosting, HasThePullsOfAdaBoostMMWithCanonicalCodewords) {
  constexpr std::size_t kRows = 50;
  constexpr std::size_t kClasses = 4;
  Random random(2);
  const LabelledProblem rows(kRows, kClasses, random);
  const Problem problem = rows.problem();
  const std::vector<float> f = random_scores(kRows * kClasses, random);
  const auto loss = make_loss(std::make_shared<CostPair>());
  for (const PullSpace space : {PullSpace::kClasses, PullSpace::kOutputs}) {
    const double factor = space == PullSpace::kClasses ? 2 : 1;
    GradientBoosting booster(problem, Codebook::canonical(kClasses), loss, space);
    const RoundTarget target = booster.target(f.data());
    for (std::size_t i = 0; i < kRows; ++i) {
      const auto c = static_cast<std::size_t>(rows.labels.codes[i]);
      std::vector<double> cost(kClasses);
      for (std::size_t l = 0; l < kClasses; ++l) {
        if (l == c) continue;
        cost[l] = std::exp(static_cast<double>(f[i * kClasses + l] - f[i * kClasses + c]));
        cost[c] -= cost[l];
      }
      for (std::size_t k = 0; k < kClasses; ++k) {
        const double wanted = -factor * cost[k] * rows.weights[i];
        EXPECT_NEAR(target.pulls[i * kClasses + k], wanted, 1e-4 * std::abs(cost[c]));
      }
    }
  }
}

}  // namespace
}  // namespace simplexboost
