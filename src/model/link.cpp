#include "model/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "loss/posterior.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

double log_sigmoid(double x) {
  return x >= 0 ? -std::log1p(std::exp(-x)) : x - std::log1p(std::exp(x));
}

}  // namespace

void require_probabilities(const Ensemble& ensemble) {
  if (ensemble.link != Link::kNone) return;
  const auto loss = ensemble.parameters.find("loss");
  throw ModelError(fmt::format(
      "the model was trained with a loss of its user's own, '{}', and has no probabilities without "
      "it; classes, scores and margins it has (in C++ and Python, predict_proba takes the loss)",
      loss == ensemble.parameters.end() ? "" : loss->second));
}

void to_probabilities(const Ensemble& ensemble, std::span<float> scores) {
  require_probabilities(ensemble);
  const double scale = ensemble.link_scale;
  if (ensemble.link == Link::kSavage) {
    // savage_posteriors takes u with q = softmax(2 u).
    for (float& u : scores) u *= static_cast<float>(scale / 2);
    savage_posteriors(1, scores.size(), scores.data(), scores.data());
    return;
  }
  if (ensemble.link == Link::kLogistic) {
    const bool single = !ensemble.schema.multi_label;
    // Normalised in logarithms: the ratio of two vanishing probabilities is still right.
    for (float& u : scores) {
      const double log_p = log_sigmoid(scale * static_cast<double>(u));
      u = static_cast<float>(single ? std::max(log_p, -1e37) : std::exp(log_p));
    }
    if (!single) return;
  }
  const double factor = ensemble.link == Link::kSoftmax ? scale : 1.0;
  const double top = static_cast<double>(*std::max_element(scores.begin(), scores.end()));
  double sum = 0;
  for (const float u : scores) sum += std::exp(factor * (static_cast<double>(u) - top));
  for (float& u : scores)
    u = static_cast<float>(std::exp(factor * (static_cast<double>(u) - top)) / sum);
}

}  // namespace simplexboost
