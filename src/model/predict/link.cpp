#include "model/predict/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/threads/thread_scratch.h"
#include "loss/loss.h"
#include "loss/math/vector_math.h"
#include "loss/posterior.h"
#include "model/predict/softmax.h"
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
  if (loss != ensemble.parameters.end() && loss->second == "auto")
    throw ModelError(fmt::format(
        "models of {} tell no probabilities; classes, scores and margins they have (one-vs-all and "
        "all-pairs tell them)",
        ensemble.algorithm));
  if (loss != ensemble.parameters.end() && find_loss(loss->second))
    throw ModelError(
        fmt::format("the model has codewords of dimension {} for {} classes, which tell no "
                    "probabilities (jmlr2019, Lemma 3); classes, scores and margins it has; for "
                    "approximate ones train with --posterior approximate",
                    ensemble.forest.outputs, ensemble.classes()));
  throw ModelError(fmt::format(
      "the model was trained with a loss of its user's own, '{}', and has no probabilities without "
      "it; classes, scores and margins it has (in C++ and Python, predict_proba takes the loss)",
      loss == ensemble.parameters.end() ? "" : loss->second));
}

namespace {

// Sums of votes below 0, or of none at all, can come from rounding or from a hostile file only.
template <class Real>
void fill_shares(const LinkSpec& spec, std::span<const float> scores, Real* out) {
  const auto share = [&](float u) {
    const double x = spec.scale * static_cast<double>(u);
    return spec.multi_label ? std::clamp((1 + x) / 2, 0.0, 1.0) : std::max(x, 0.0) + spec.shift;
  };
  double sum = 0;
  for (const float u : scores) sum += share(u);
  const bool even = !spec.multi_label && !(sum > 0);
  const double whole = spec.multi_label ? 1 : even ? static_cast<double>(scores.size()) : sum;
  for (std::size_t k = 0; k < scores.size(); ++k)
    out[k] = static_cast<Real>((even ? 1 : share(scores[k])) / whole);
}

// `out` may be where the scores are.
template <class Real>
void fill_probabilities(const LinkSpec& spec, std::span<const float> scores, Real* out) {
  const double scale = spec.scale;
  if (spec.link == Link::kSoftmax)
    return normalise(
        scores.data(), scores.size(), [&](double u) { return scale * u; }, out);
  if (spec.link == Link::kShares) return fill_shares(spec, scores, out);
  // Normalised in logarithms: the ratio of two vanishing probabilities is still right.
  const auto log_p = [&](double u) { return log_sigmoid(scale * u - spec.shift); };
  if (!spec.multi_label) return normalise(scores.data(), scores.size(), log_p, out);
  for (std::size_t k = 0; k < scores.size(); ++k)
    out[k] = static_cast<Real>(std::exp(log_p(static_cast<double>(scores[k]))));
}

// Of the class scores as they are told: adjusted ones are logarithms, or log-odds.
LinkSpec spec_of(const Ensemble& ensemble) {
  const bool sets = ensemble.schema.multi_label;
  if (ensemble.adjusted()) return {sets ? Link::kLogistic : Link::kSoftmax, 1, 0, sets};
  return {ensemble.link, ensemble.link_scale, ensemble.link_shift, sets};
}

void loss_probabilities(const Ensemble& ensemble, std::span<float> scores) {
  for (float& u : scores) u *= static_cast<float>(ensemble.link_scale / 2);
  formula_posterior(*ensemble.link_loss, scores, scores.data());
}

}  // namespace

void to_probabilities(const LinkSpec& spec, std::span<const float> scores, double* out) {
  fill_probabilities(spec, scores, out);
}

void link_probabilities(const Ensemble& ensemble, std::span<float> scores, double* out) {
  if (ensemble.link != Link::kLoss)
    return to_probabilities(
        {ensemble.link, ensemble.link_scale, ensemble.link_shift, ensemble.schema.multi_label},
        scores, out);
  loss_probabilities(ensemble, scores);
  std::copy(scores.begin(), scores.end(), out);
}

void to_probabilities(const Ensemble& ensemble, std::span<float> scores) {
  require_probabilities(ensemble);
  const LinkSpec spec = spec_of(ensemble);
  if (spec.link == Link::kLoss) return loss_probabilities(ensemble, scores);
  fill_probabilities(spec, scores, scores.data());
}

void to_probabilities(const Ensemble& ensemble, std::span<float> scores, double* out) {
  require_probabilities(ensemble);
  const LinkSpec spec = spec_of(ensemble);
  if (spec.link == Link::kLoss) return link_probabilities(ensemble, scores, out);
  fill_probabilities(spec, scores, out);
}

double probability(const Ensemble& ensemble, std::span<const float> scores, std::size_t k) {
  // Of terms whose sum is less, single precision does not tell the shares.
  constexpr double kLeastSum = 1e-30;
  require_probabilities(ensemble);
  auto& terms = thread_scratch<struct LinkTerms, std::vector<float>>();
  terms.resize(scores.size());
  const auto set_terms = [&](const auto& exponent) {
    std::transform(scores.begin(), scores.end(), terms.begin(), exponent);
    vector_exp(terms.data(), terms.data(), terms.size());
  };
  const auto sum = [&] { return std::accumulate(terms.begin(), terms.end(), 0.0); };
  const LinkSpec spec = spec_of(ensemble);
  const auto scale = static_cast<float>(spec.scale);
  if (spec.link == Link::kSoftmax) {
    const float top = *std::max_element(scores.begin(), scores.end());
    set_terms([&](float u) { return scale * (u - top); });
    return static_cast<double>(terms[k]) / sum();
  }
  if (spec.link == Link::kLogistic) {
    const auto shift = static_cast<float>(spec.shift);
    set_terms([&](float u) { return shift - scale * u; });
    for (float& term : terms) term = 1 / (1 + term);
    const double whole = sum();
    if (whole > kLeastSum) return static_cast<double>(terms[k]) / whole;
  }
  std::copy(scores.begin(), scores.end(), terms.begin());
  to_probabilities(ensemble, terms);
  return static_cast<double>(terms[k]);
}

}  // namespace simplexboost
