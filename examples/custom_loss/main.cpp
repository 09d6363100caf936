// Trains with a loss that is not built in, in both of its forms: a gamma-phi pair, and an objective
// that says the slope and the curvature of the same loss.
#include <simplexboost/error.h>
#include <simplexboost/generate.h>
#include <simplexboost/train.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

using namespace simplexboost;

// phi(v) = log(1 + e^-v) grows only linearly for examples that are badly wrong, so these do not
// rule the fit as with the exponential loss; gamma(s) = s adds the other classes up.
class SoftPlus : public GammaPhi {
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

// Each class against the rest, judged by the squares of 1 - score and score: no pair can say it.
class Squares : public Objective {
 public:
  std::string name() const override { return "squares"; }

  void pulls(const ObjectiveRows& rows, float* pulls, float* curvature) const override {
    for (std::size_t i = 0; i < rows.rows; ++i)
      for (std::size_t k = 0; k < rows.classes; ++k) {
        const std::size_t at = i * rows.classes + k;
        const bool own = static_cast<std::size_t>(rows.labels[i]) == k;
        pulls[at] = (own ? 1.0F : 0.0F) - rows.scores[at];
        if (curvature) curvature[at] = 1;
      }
  }
};

double error_of(const Model& model, const Dataset& data) {
  const std::vector<std::int32_t> predicted = model.predict(data);
  double wrong = 0;
  for (std::size_t i = 0; i < data.rows; ++i) wrong += predicted[i] != data.labels.codes[i];
  return wrong / static_cast<double>(data.rows);
}

}  // namespace

int main() {
  try {
    GeneratorSpec spec;
    spec.name = "waveform";
    spec.rows = 1000;
    const Dataset data = generate(spec);
    bool learnt = true;

    const auto pair = std::make_shared<SoftPlus>();
    TrainOptions options;
    options.loss = pair;
    for (const char* algorithm : {"newton", "gd-mcboost", "cd-mcboost"}) {
      Parameters parameters;
      parameters.algorithm = algorithm;
      train(data, parameters, options).save("softplus.sb");
      const Model model = Model::load("softplus.sb");
      // The file knows classes, scores and margins; probabilities need the pair.
      const Matrix proba = model.predict_proba(data, *pair);
      const double error = error_of(model, data);
      std::printf("%s with softplus: training error %.3f; first row %.3f %.3f %.3f\n", algorithm,
                  error, proba.row(0)[0], proba.row(0)[1], proba.row(0)[2]);
      learnt = learnt && error < 0.2;
    }

    options = {};
    options.objective = std::make_shared<Squares>();
    const double error = error_of(train(data, Parameters{}, options), data);
    std::printf("newton with squares: training error %.3f\n", error);
    return learnt && error < 0.2 ? 0 : 1;
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
