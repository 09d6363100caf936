// The built-in losses written as users would write them, and two that are not built in: the naive
// twins of the fast loops.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "simplexboost/loss.h"

namespace simplexboost {

class ExponentialPair : public GammaPhi {
 public:
  std::string name() const override { return "exponential"; }
  double gamma(double s) const override { return s; }
  double gamma_slope(double /*s*/) const override { return 1; }
  double gamma_curvature(double /*s*/) const override { return 0; }
  double phi(double v) const override { return std::exp(-v); }
  double phi_slope(double v) const override { return -std::exp(-v); }
  double phi_curvature(double v) const override { return std::exp(-v); }
};

// phi(v) = e^-2v, and gamma(s) = log(1 + s).
class LogisticPair : public GammaPhi {
 public:
  std::string name() const override { return "logistic"; }
  double gamma(double s) const override { return std::log1p(s); }
  double gamma_slope(double s) const override { return 1 / (1 + s); }
  double gamma_curvature(double s) const override { return -1 / ((1 + s) * (1 + s)); }
  double phi(double v) const override { return std::exp(-2 * v); }
  double phi_slope(double v) const override { return -2 * std::exp(-2 * v); }
  double phi_curvature(double v) const override { return 4 * std::exp(-2 * v); }
};

class SavagePair : public LogisticPair {
 public:
  std::string name() const override { return "savage"; }
  double gamma(double s) const override { return s / (1 + s) * (s / (1 + s)); }
  double gamma_slope(double s) const override { return 2 * s / std::pow(1 + s, 3); }
  double gamma_curvature(double s) const override { return 2 * (1 - 2 * s) / std::pow(1 + s, 4); }
};

// The loss of added_formula.h.
class RootPair : public LogisticPair {
 public:
  std::string name() const override { return "root"; }
  double gamma(double s) const override { return 2 * s / (1 + s + std::sqrt(1 + s)); }
  double gamma_slope(double s) const override { return std::pow(1 + s, -1.5); }
  double gamma_curvature(double s) const override { return -1.5 * std::pow(1 + s, -2.5); }
};

// Convex, and its phi is not an exponential: phi(v) = log(1 + e^-v), gamma(s) = s + s^2 / 10.
class SoftPlusPair : public GammaPhi {
 public:
  std::string name() const override { return "softplus"; }
  double gamma(double s) const override { return s + s * s / 10; }
  double gamma_slope(double s) const override { return 1 + s / 5; }
  double gamma_curvature(double /*s*/) const override { return 0.2; }
  double phi(double v) const override {
    return std::max(-v, 0.0) + std::log1p(std::exp(-std::abs(v)));
  }
  double phi_slope(double v) const override { return -1 / (1 + std::exp(v)); }
  double phi_curvature(double v) const override {
    const double e = std::exp(-std::abs(v));
    return e / ((1 + e) * (1 + e));
  }
};

inline std::vector<std::shared_ptr<const GammaPhi>> sample_pairs() {
  return {std::make_shared<ExponentialPair>(), std::make_shared<LogisticPair>(),
          std::make_shared<SavagePair>(), std::make_shared<RootPair>(),
          std::make_shared<SoftPlusPair>()};
}

}  // namespace simplexboost
