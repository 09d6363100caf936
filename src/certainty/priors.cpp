#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "model/model_access.h"
#include "model/predict/link.h"
#include "simplexboost/certainty.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr int kMostSteps = 1000;
constexpr double kSettled = 1e-7;

// Shares that are positive enough to divide by.
double part_of(double share) { return std::max(share, 1e-12); }

}  // namespace
}  // namespace simplexboost

namespace simplexboost::inline SIMPLEXBOOST_ABI {

std::vector<double> class_shares(const Model& model) {
  const std::vector<double>& shares = ensemble_of(model).class_shares;
  if (shares.empty())
    throw ModelError(
        "the model does not tell the shares of its classes in training; train it with this "
        "version");
  return shares;
}

// Each step is the mean of what the rows say if the last shares were true; the likelihood of the
// rows rises with every one.
std::vector<double> estimate_priors(const Matrix& probabilities, std::span<const double> then) {
  const std::size_t classes = probabilities.columns;
  if (then.size() != classes)
    throw ParameterError(fmt::format("priors: {} shares for {} classes", then.size(), classes));
  std::vector<double> now(then.begin(), then.end());
  if (probabilities.rows == 0) return now;
  std::vector<double> ratio(classes);
  for (int step = 0; step < kMostSteps; ++step) {
    for (std::size_t k = 0; k < classes; ++k) ratio[k] = now[k] / part_of(then[k]);
    std::vector<double> sums(classes);
    for (std::size_t i = 0; i < probabilities.rows; ++i) {
      const float* const p = probabilities.row(i);
      double whole = 0;
      for (std::size_t k = 0; k < classes; ++k) whole += ratio[k] * static_cast<double>(p[k]);
      if (!(whole > 0)) continue;
      for (std::size_t k = 0; k < classes; ++k)
        sums[k] += ratio[k] * static_cast<double>(p[k]) / whole;
    }
    const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
    if (!(total > 0)) break;
    double change = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      change = std::max(change, std::fabs(sums[k] / total - now[k]));
      now[k] = sums[k] / total;
    }
    if (change < kSettled) break;
  }
  return now;
}

std::vector<double> estimate_priors(const Model& model, const Dataset& data,
                                    const PredictOptions& options) {
  if (model.schema().multi_label)
    throw ModelError("shares of classes are estimated for one label a row");
  const Model plain = with_priors(model, {});
  return estimate_priors(plain.predict_proba(data, options), class_shares(model));
}

Model with_priors(const Model& model, std::vector<double> priors) {
  const std::size_t classes = model.schema().classes.size();
  auto ensemble = std::make_shared<Ensemble>(ensemble_of(model));
  if (!priors.empty()) {
    require_probabilities(*ensemble);
    class_shares(model);  // must be known
    if (priors.size() != classes)
      throw ParameterError(fmt::format("priors: {} shares for {} classes", priors.size(), classes));
    for (const double share : priors)
      if (!(share >= 0 && std::isfinite(share)))
        throw ParameterError(fmt::format("priors: {} is no share; give 0 or more", share));
    if (model.schema().multi_label)
      for (const double share : priors)
        if (share > 1)
          throw ParameterError(fmt::format(
              "priors: {} is no share of the rows that have a label; give 0 to 1", share));
    double sum = std::accumulate(priors.begin(), priors.end(), 0.0);
    if (!(sum > 0)) throw ParameterError("priors: they sum to 0");
    if (!model.schema().multi_label) {
      if (std::isinf(sum)) {  // each is finite: only their common scale is too large
        for (double& share : priors) share *= 0x1p-64;
        sum = std::accumulate(priors.begin(), priors.end(), 0.0);
      }
      for (double& share : priors) share /= sum;
    }
  }
  ensemble->priors = std::move(priors);
  return make_model(std::move(ensemble));
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
