// Writes a loss that is not built in, lets the library check it, and reads class probabilities off
// class scores with it.
#include <simplexboost/error.h>
#include <simplexboost/loss.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

// phi(v) = log(1 + e^-v) grows only linearly for examples that are badly wrong, so these do not
// rule the fit as with the exponential loss; gamma(s) = s adds the other classes up.
class SoftPlus : public simplexboost::GammaPhi {
 public:
  std::string name() const override { return "softplus"; }

  double gamma(double s) const override { return s; }
  double gamma_slope(double /*s*/) const override { return 1; }
  double gamma_curvature(double /*s*/) const override { return 0; }

  double phi(double v) const override {
    return std::fmax(-v, 0) + std::log1p(std::exp(-std::fabs(v)));
  }
  double phi_slope(double v) const override { return -1 / (1 + std::exp(v)); }
  double phi_curvature(double v) const override { return phi_slope(v) * phi_slope(-v); }
};

}  // namespace

int main() {
  try {
    const SoftPlus loss;
    simplexboost::check(loss);
    const std::vector<double> scores{1.2, 0.3, -0.5};
    double sum = 0;
    for (const double p : simplexboost::posterior(loss, scores)) {
      std::printf("%.4f\n", p);
      sum += p;
    }
    return std::fabs(sum - 1) < 1e-9 ? 0 : 1;
  } catch (const simplexboost::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
