#include "loss/posterior.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "base/message_of.h"
#include "loss/loss.h"
#include "loss/sample_pairs.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using testing::message_of;

using Vector = std::vector<double>;

// E over the class c of probability eta_c of the loss of scores u.
double conditional_risk(const GammaPhi& pair, const Vector& eta, const Vector& u) {
  double risk = 0;
  for (std::size_t c = 0; c < u.size(); ++c) {
    double sum = 0;
    for (std::size_t l = 0; l < u.size(); ++l)
      if (l != c) sum += pair.phi(u[c] - u[l]);
    risk += eta[c] * pair.gamma(sum);
  }
  return risk;
}

Vector gradient(const GammaPhi& pair, const Vector& eta, const Vector& u) {
  Vector slope(u.size());
  for (std::size_t c = 0; c < u.size(); ++c) {
    double sum = 0;
    for (std::size_t l = 0; l < u.size(); ++l)
      if (l != c) sum += pair.phi(u[c] - u[l]);
    for (std::size_t l = 0; l < u.size(); ++l) {
      if (l == c) continue;
      const double pull = eta[c] * pair.gamma_slope(sum) * pair.phi_slope(u[c] - u[l]);
      slope[c] += pull;
      slope[l] -= pull;
    }
  }
  return slope;
}

// Gauss elimination without pivots: for positive definite systems.
Vector solve(std::vector<Vector> a, Vector b) {
  const std::size_t size = b.size();
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t i = k + 1; i < size; ++i) {
      const double share = a[i][k] / a[k][k];
      for (std::size_t j = k; j < size; ++j) a[i][j] -= share * a[k][j];
      b[i] -= share * b[k];
    }
  }
  for (std::size_t k = size; k-- > 0;) {
    for (std::size_t j = k + 1; j < size; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

// Newton steps, damped until the risk falls (Levenberg): Savage's risk is not convex.
Vector minimise(const GammaPhi& pair, const Vector& eta) {
  constexpr double kStep = 1e-6;
  Vector u(eta.size(), 0);
  double damping = 1e-3;
  for (int round = 0; round < 2000; ++round) {
    const Vector slope = gradient(pair, eta, u);
    std::vector<Vector> hessian(u.size(), Vector(u.size()));
    for (std::size_t j = 0; j < u.size(); ++j) {
      Vector moved = u;
      moved[j] += kStep;
      const Vector above = gradient(pair, eta, moved);
      for (std::size_t i = 0; i < u.size(); ++i) hessian[i][j] = (above[i] - slope[i]) / kStep;
      hessian[j][j] += damping;
    }
    const Vector step = solve(hessian, slope);
    Vector moved = u;
    for (std::size_t k = 0; k < u.size(); ++k) moved[k] -= step[k];
    if (conditional_risk(pair, eta, moved) <= conditional_risk(pair, eta, u)) {
      u = moved;
      damping = std::max(damping / 4, 1e-9);
    } else {
      damping *= 8;
    }
    if (damping > 1e12) break;
  }
  return u;
}

// Savage's expected loss has a finite minimiser only where no class is too improbable:
// 1 - p_k = (K-1) (1/eta_k) / sum_j (1/eta_j) must be less than 1.
bool has_finite_savage_minimiser(const Vector& eta) {
  double sum = 0;
  double most = 0;
  for (const double e : eta) {
    sum += 1 / e;
    most = std::max(most, 1 / e);
  }
  return static_cast<double>(eta.size() - 1) * most < 0.95 * sum;
}

Vector random_eta(std::size_t classes, std::mt19937& random) {
  for (;;) {
    std::uniform_real_distribution<double> uniform(0.2, 1.5);
    Vector eta(classes);
    double sum = 0;
    for (double& e : eta) sum += e = uniform(random);
    for (double& e : eta) e /= sum;
    if (has_finite_savage_minimiser(eta)) return eta;
  }
}

TEST(Posterior, MinimiserOfTheExpectedLossGivesBackTheProbabilities) {
  std::mt19937 random(1);
  for (const auto& pair : sample_pairs()) {
    for (std::size_t classes = 2; classes <= 6; ++classes) {
      SCOPED_TRACE(pair->name() + ", classes " + std::to_string(classes));
      const Vector eta = random_eta(classes, random);
      const Vector u = minimise(*pair, eta);
      const Vector found = posterior(*pair, u);
      for (std::size_t k = 0; k < classes; ++k) EXPECT_NEAR(found[k], eta[k], 1e-6);

      const LossFacts* const row = find_loss(pair->name());
      if (!row) continue;
      const std::vector<float> scores(u.begin(), u.end());
      std::vector<float> p(classes);
      formula_posterior(*row, scores, p.data());
      for (std::size_t k = 0; k < classes; ++k) EXPECT_NEAR(p[k], eta[k], 1e-6);
    }
  }
}

TEST(Posterior, OfAFormulaEqualsTheLinearSystem) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (const auto& pair : sample_pairs()) {
    const LossFacts* const row = find_loss(pair->name());
    if (!row) continue;
    for (const std::size_t classes : {2U, 3U, 9U}) {
      for (int trial = 0; trial < 20; ++trial) {
        std::vector<float> scores(classes);
        for (float& u : scores) u = 2 * normal(random);
        std::vector<float> solved(classes);
        pair_posteriors(*pair, 1, classes, scores.data(), solved.data());
        formula_posterior(*row, scores, scores.data());  // in place
        for (std::size_t k = 0; k < classes; ++k)
          EXPECT_NEAR(scores[k], solved[k], 2e-6) << pair->name();
      }
    }
  }
}

// Models of such losses know no more of it than that.
TEST(Posterior, IsTheSoftmaxWhereTheTableSaysSo) {
  const std::vector<float> scores{0.3F, -1, 2, 1.9F};
  for (const LossFacts& row : loss_table()) {
    std::vector<float> p(scores.size());
    formula_posterior(row, scores, p.data());
    double sum = 0;
    for (const float u : scores) sum += std::exp(2.0 * u);
    double farthest = 0;
    for (std::size_t k = 0; k < scores.size(); ++k)
      farthest = std::max(farthest, std::abs(p[k] - std::exp(2.0 * scores[k]) / sum));
    EXPECT_EQ(farthest < 1e-6, row.posterior == Posterior::kSoftmax) << row.name;
  }
}

void expect_probabilities(std::span<const float> p, const std::string& name) {
  double sum = 0;
  for (const float value : p) {
    ASSERT_GE(value, 0) << name;
    sum += value;
  }
  ASSERT_NEAR(sum, 1, 1e-5) << name;
}

TEST(Posterior, IsAProbabilityVectorForScoresOfAnySize) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (const float size : {0.0F, 1e3F, 1e6F, 1e30F}) {
    for (int trial = 0; trial < 50; ++trial) {
      std::vector<float> scores(6);
      for (float& u : scores) u = size * normal(random);
      std::vector<float> p(scores.size(), -1);
      for (const LossFacts& row : loss_table()) {
        formula_posterior(row, scores, p.data());
        expect_probabilities(p, row.name);
      }
      for (const auto& pair : sample_pairs()) {
        pair_posteriors(*pair, 1, scores.size(), scores.data(), p.data());
        expect_probabilities(p, pair->name());
      }
    }
  }
}

TEST(Posterior, OfOneClassIsOneAndOfNoneIsEmpty) {
  for (const auto& pair : sample_pairs()) {
    EXPECT_EQ(posterior(*pair, Vector{3}), Vector{1});
    EXPECT_TRUE(posterior(*pair, {}).empty());
  }
}

// A pair with one mistake in it.
class WrongSlope : public LogisticPair {
 public:
  double gamma_slope(double s) const override { return 2 / (1 + s); }
};
class RisingPhi : public LogisticPair {
 public:
  double phi(double v) const override { return std::exp(v); }
  double phi_slope(double v) const override { return std::exp(v); }
  double phi_curvature(double v) const override { return std::exp(v); }
};
class NotANumber : public LogisticPair {
 public:
  double gamma_curvature(double s) const override { return std::sqrt(-s); }
};

std::string complaint(const GammaPhi& pair) {
  return message_of<ParameterError>([&] { check(pair); });
}

TEST(PairCheck, SaysWhichFunctionIsWrongAndWhere) {
  EXPECT_EQ(complaint(WrongSlope()),
            "loss 'logistic': gamma_slope(0.01) is 1.9802, but the differences of the function say "
            "0.990099");
  EXPECT_EQ(complaint(RisingPhi()),
            "loss 'logistic': phi_slope(-3) is positive; phi must decrease");
  EXPECT_NE(complaint(NotANumber()).find("gamma_curvature(0.01) is"), std::string::npos);
  EXPECT_THROW(make_loss(std::shared_ptr<const GammaPhi>()), ParameterError);
  for (const auto& pair : sample_pairs()) EXPECT_EQ(complaint(*pair), "");
}

}  // namespace
}  // namespace simplexboost
