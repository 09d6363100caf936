// Looks at a user's gamma-phi pair at a few points before it is trusted with a training run.
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "simplexboost/error.h"
#include "simplexboost/loss.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {
namespace {

using Function = std::function<double(double)>;

// A difference quotient must come this near to the derivative, relative to the larger of both.
constexpr double kTolerance = 1e-3;

class PairCheck {
 public:
  explicit PairCheck(const GammaPhi& pair) : name_(pair.name()) {}

  void value(const char* function, double at, double value) const {
    if (std::isfinite(value)) return;
    fail(function, at, fmt::format("is {}; it must be finite", value));
  }

  void derivative(const char* function, double at, const Function& f, double slope) const {
    const double step = 1e-4 * std::max(1.0, std::abs(at)) * (at > 0 ? std::min(at, 1.0) : 1.0);
    const double quotient = (f(at + step) - f(at - step)) / (2 * step);
    const double error = std::abs(quotient - slope);
    if (error <= kTolerance * std::max(std::abs(quotient), std::abs(slope)) + 1e-6) return;
    fail(function, at,
         fmt::format("is {:.6g}, but the differences of the function say {:.6g}", slope, quotient));
  }

  void require(bool holds, const char* function, double at, const char* rule) const {
    if (!holds) fail(function, at, rule);
  }

 private:
  [[noreturn]] void fail(const char* function, double at, const std::string& what) const {
    throw ParameterError(fmt::format("loss '{}': {}({:g}) {}", name_, function, at, what));
  }

  std::string name_;
};

void check_phi(const GammaPhi& pair, const PairCheck& check) {
  for (const double v : {-3.0, -1.0, 0.0, 0.5, 1.0, 3.0}) {
    check.value("phi", v, pair.phi(v));
    check.value("phi_slope", v, pair.phi_slope(v));
    check.value("phi_curvature", v, pair.phi_curvature(v));
    check.require(pair.phi(v) >= 0, "phi", v, "is negative; phi must be positive");
    check.require(pair.phi_slope(v) <= 0, "phi_slope", v, "is positive; phi must decrease");
    check.derivative(
        "phi_slope", v, [&](double x) { return pair.phi(x); }, pair.phi_slope(v));
    check.derivative(
        "phi_curvature", v, [&](double x) { return pair.phi_slope(x); }, pair.phi_curvature(v));
  }
  check.require(pair.phi_slope(0) < 0, "phi_slope", 0, "is 0; phi must decrease");
}

void check_gamma(const GammaPhi& pair, const PairCheck& check) {
  for (const double s : {0.01, 0.5, 1.0, 3.0, 20.0}) {
    check.value("gamma", s, pair.gamma(s));
    check.value("gamma_slope", s, pair.gamma_slope(s));
    check.value("gamma_curvature", s, pair.gamma_curvature(s));
    check.require(pair.gamma_slope(s) > 0, "gamma_slope", s,
                  "is not positive; gamma must increase");
    check.derivative(
        "gamma_slope", s, [&](double x) { return pair.gamma(x); }, pair.gamma_slope(s));
    check.derivative(
        "gamma_curvature", s, [&](double x) { return pair.gamma_slope(x); },
        pair.gamma_curvature(s));
  }
}

}  // namespace

void check(const GammaPhi& pair) {
  const PairCheck at(pair);
  check_phi(pair, at);
  check_gamma(pair, at);
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
