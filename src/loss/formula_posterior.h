// The posterior of any formula of a loss (formulas/row_sum.h), jmlr2019 (109) to (113).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "loss/formulas/row_sum.h"

namespace simplexboost {

// Turns logs into probabilities.
inline void softmax(std::vector<double>& values) {
  const double top = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (double& value : values) sum += value = std::exp(value - top);
  for (double& value : values) value /= sum;
}

// Of phi(v) = e^{-rate v}: eta_k is in proportion to e^{2 rate u_k} / pi_k, pi_k = gamma'(S_k), and
// the loss's weight of a row of class k is rate S_k pi_k. In logs, up to a constant. Where gamma
// falls, which only one class can come to, no scores are a minimum but in the limit: eta is 1.
template <class Formula>
double log_eta(double z, double log_others) {  // z = rate u_k, and the log of S_k e^z
  const double log_sum = log_others - z;
  const auto pulls = Formula::pulls(plain::RowSum<double>(log_sum, 1));
  const double pull = std::max<double>(pulls.pull, std::numeric_limits<double>::min());
  return z + log_others - std::log(pull) - Formula::log_weight(log_sum);
}

template <class Formula>
void set_formula_posterior(std::span<const float> scores, float* probabilities) {
  thread_local std::vector<double> eta;
  eta.resize(scores.size());
  const auto top =
      static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
  const auto best = static_cast<double>(scores[top]);
  const auto exponent = [&](std::size_t k) {
    return static_cast<double>(Formula::kRate) * (static_cast<double>(scores[k]) - best);
  };
  double rest = 0;  // the terms of all but the best class; its own is 1
  for (std::size_t k = 0; k < scores.size(); ++k)
    if (k != top) rest += eta[k] = std::exp(exponent(k));
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const double others = k == top ? rest : 1 + std::max(rest - eta[k], 0.0);
    eta[k] = log_eta<Formula>(exponent(k),
                              std::log(std::max(others, std::numeric_limits<double>::min())));
  }
  softmax(eta);
  std::transform(eta.begin(), eta.end(), probabilities,
                 [](double p) { return static_cast<float>(p); });
}

}  // namespace simplexboost
