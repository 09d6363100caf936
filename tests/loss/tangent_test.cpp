// The Tangent loss: that of its paper for two classes, what it does with more, and what it does not
// keep of what gamma-phi losses promise.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "base/simd/lane_math.h"
#include "loss/loss.h"
#include "loss/posterior.h"

namespace simplexboost {
namespace {

using Vector = std::vector<double>;

// By its definition.
double tangent_loss(const Vector& u, std::size_t c) {
  double sum = 0;
  for (std::size_t l = 0; l < u.size(); ++l)
    if (l != c) sum += std::exp(2 * (u[l] - u[c]));
  const double g = 2 * std::atan(-std::log(sum) / 2) - 1;
  return g * g;
}

LossBlock block_of(const std::vector<float>& scores, const std::int32_t& label) {
  return {1, scores.size(), scores.data(), &label};
}

TEST(Tangent, ArctangentIsThatOfLibm) {
  for (double x = 1e-8; x < 1e9; x *= 1.001)
    for (const auto v : {static_cast<float>(x), static_cast<float>(-x)}) {
      const double exact = std::atan(static_cast<double>(v));
      EXPECT_NEAR(plain::atan_of(v), exact, 2.4e-7 * std::abs(exact)) << v;
    }
  EXPECT_EQ(plain::atan_of(0.0F), 0.0F);
  EXPECT_FLOAT_EQ(plain::atan_of(1e30F), static_cast<float>(std::numbers::pi / 2));
  EXPECT_FLOAT_EQ(plain::atan_of(-INFINITY), static_cast<float>(-std::numbers::pi / 2));
}

TEST(Tangent, OfTwoClassesIsThatOfThePaper) {
  const auto loss = make_loss("tangent");
  for (const float v : {-40.0F, -2.0F, -0.3F, 0.0F, 0.2F, 0.5463F, 1.0F, 50.0F}) {
    const std::vector<float> scores{v, 0};
    const std::int32_t label = 0;
    const double root = 2 * std::atan(static_cast<double>(v)) - 1;
    EXPECT_NEAR(loss->risk(block_of(scores, label)).plain(), root * root, 1e-5) << v;
  }
}

struct RowFigures {
  std::vector<float> pulls, curvature;
};
RowFigures figures_of(const std::vector<float>& scores, std::int32_t label) {
  RowFigures out{std::vector<float>(scores.size()), std::vector<float>(scores.size())};
  class_pulls(*make_loss("tangent"), block_of(scores, label), RowSpace(1, 1), out.pulls.data(),
              out.curvature.data());
  return out;
}

TEST(Tangent, PullsAreMinusTheDifferencesAndCurvaturesAboveTheSecondOnes) {
  constexpr double kStep = 1e-4;
  std::mt19937 random(2);
  std::normal_distribution<float> normal;
  std::size_t exact = 0;
  std::size_t back = 0;
  for (std::size_t trial = 0; trial < 200; ++trial) {
    std::vector<float> scores(2 + trial % 6U);
    for (float& u : scores) u = normal(random);
    const auto label = static_cast<std::int32_t>(random() % scores.size());
    const auto c = static_cast<std::size_t>(label);
    const RowFigures found = figures_of(scores, label);
    const Vector here(scores.begin(), scores.end());
    back += found.pulls[c] < 0 ? 1U : 0U;
    for (std::size_t k = 0; k < scores.size(); ++k) {
      Vector above = here;
      Vector below = here;
      above[k] += kStep;
      below[k] -= kStep;
      const double up = tangent_loss(above, c);
      const double down = tangent_loss(below, c);
      const double second = (up - 2 * tangent_loss(here, c) + down) / (kStep * kStep);
      EXPECT_NEAR(found.pulls[k], (down - up) / (2 * kStep), 2e-5);
      EXPECT_GT(found.curvature[k], second - 2e-4);
      EXPECT_GE(found.curvature[k] * 2.0001F, std::abs(found.pulls[k]));
      exact += std::abs(found.curvature[k] - second) < 1e-3 ? 1U : 0U;
    }
  }
  EXPECT_GT(exact, 100U);  // where the loss is convex enough
  EXPECT_GT(back, 10U);    // rows that are too right
}

// f = tan(eta - 1/2), the link of its paper; beyond tan(1/2) there is no more to be sure of.
TEST(Tangent, OfTwoClassesTellsTheProbabilitiesOfItsLink) {
  const LossFacts& row = *find_loss("tangent");
  for (const double eta : {0.02, 0.3, 0.5, 0.75, 0.99}) {
    std::vector<float> p{static_cast<float>(std::tan(eta - 0.5)), 0};
    formula_posterior(row, p, p.data());
    EXPECT_NEAR(p[0], eta, 1e-6);
  }
  std::vector<float> sure{0.6F, 0};
  formula_posterior(row, sure, sure.data());
  EXPECT_EQ(sure, (std::vector<float>{1, 0}));
}

double expected_loss(const Vector& eta, const Vector& u) {
  double sum = 0;
  for (std::size_t c = 0; c < u.size(); ++c) sum += eta[c] * tangent_loss(u, c);
  return sum;
}

// The least of many small steps along each score: slow, and sure.
Vector minimise(const Vector& eta) {
  Vector u(eta.size());
  for (double step = 0.25; step > 1e-9; step /= 2)
    for (bool moved = true; moved;) {
      moved = false;
      for (double& score : u)
        for (const double way : {step, -step}) {
          const double now = expected_loss(eta, u);
          score += way;
          if (expected_loss(eta, u) < now - 1e-15) {
            moved = true;
          } else {
            score -= way;
          }
        }
    }
  return u;
}

TEST(Tangent, MinimiserOfTheExpectedLossGivesBackProbabilitiesThatAreNotTooFarApart) {
  for (const Vector& eta :
       {Vector{0.4, 0.35, 0.25}, Vector{0.5, 0.3, 0.2}, Vector{0.3, 0.26, 0.24, 0.2}}) {
    const Vector u = minimise(eta);
    std::vector<float> p(u.begin(), u.end());
    formula_posterior(*find_loss("tangent"), p, p.data());
    for (std::size_t k = 0; k < eta.size(); ++k) EXPECT_NEAR(p[k], eta[k], 2e-4);
  }
}

// What Theorem 5 promises of losses that fall: a larger margin is never worse. This one pulls back.
TEST(Tangent, PullsRowsBackThatAreTooRight) {
  const RowFigures found = figures_of({2, 0, -1}, 0);
  EXPECT_LT(found.pulls[0], 0);
  EXPECT_GT(found.pulls[1], 0);
  EXPECT_GT(found.curvature[0], 0);
}

}  // namespace
}  // namespace simplexboost
