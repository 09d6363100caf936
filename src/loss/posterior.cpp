#include "loss/posterior.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "loss/formula_posterior.h"
#include "loss/loss_table.h"
#include "loss/pairs/pair_limits.h"

namespace simplexboost {
namespace {

// Elimination by Grassmann, Taksar and Heyman for the stationary distribution of the chain that
// goes from l to k at rate rates[l * K + k]: it never subtracts, so every entry keeps its relative
// precision however far apart the rates are. Returns the logs of the entries, up to a constant.
std::vector<double> log_stationary(std::vector<double> rates, std::size_t states) {
  constexpr double kLeast = std::numeric_limits<double>::min();
  std::vector<double> leaving(states, 1);
  for (std::size_t n = states - 1; n > 0; --n) {
    double* const from = rates.data() + n * states;
    leaving[n] = std::max(std::accumulate(from, from + n, 0.0), kLeast);
    for (std::size_t j = 0; j < n; ++j) from[j] /= leaving[n];  // now a probability
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (j != i) rates[i * states + j] += rates[i * states + n] * from[j];
  }
  std::vector<double> mass(states, 0);  // logs
  std::vector<double> terms(states);
  for (std::size_t n = 1; n < states; ++n) {
    for (std::size_t i = 0; i < n; ++i)
      terms[i] = mass[i] + std::log(std::max(rates[i * states + n], kLeast));
    const double top = *std::max_element(terms.data(), terms.data() + n);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += std::exp(terms[i] - top);
    mass[n] = top + std::log(sum) - std::log(leaving[n]);
  }
  return mass;
}

// In jmlr2019 (99), x_k = eta_k pi_k flows from l to k at rate -phi'(u_l - u_k), and what flows
// into each class equals what flows out: x is a stationary distribution.
std::vector<double> pair_posterior(const GammaPhi& pair, const PairLimits& limits,
                                   std::span<const double> scores) {
  const std::size_t classes = scores.size();
  std::vector<double> margins(classes * classes);
  for (std::size_t l = 0; l < classes; ++l)
    for (std::size_t k = 0; k < classes; ++k)
      margins[l * classes + k] = limits.clamp(scores[l] - scores[k]);
  std::vector<double> phi(classes * classes);
  std::vector<double> rates(classes * classes);
  pair.phi_curve(margins, {phi.data(), rates.data()});
  std::vector<double> sums(classes);
  for (std::size_t l = 0; l < classes; ++l)
    for (std::size_t k = 0; k < classes; ++k)
      if (k != l) sums[l] += phi[l * classes + k];
  for (double& rate : rates) rate = -rate;
  std::vector<double> slopes(classes);  // pi, jmlr2019 (100)
  pair.gamma_curve(sums, {nullptr, slopes.data()});
  for (double& slope : slopes) slope = std::max(slope, std::numeric_limits<double>::min());
  std::vector<double> eta = log_stationary(std::move(rates), classes);
  for (std::size_t k = 0; k < classes; ++k) eta[k] -= std::log(slopes[k]);
  softmax(eta);
  return eta;
}

}  // namespace

void formula_posterior(const LossFacts& loss, std::span<const float> scores, float* probabilities) {
  plain::visit_formula(loss.formula, [&](auto formula) {
    set_formula_posterior<decltype(formula)>(scores, probabilities);
  });
}

void pair_posteriors(const GammaPhi& pair, std::size_t rows, std::size_t classes,
                     const float* scores, float* probabilities) {
  const PairLimits limits(pair);
  std::vector<double> row(classes);
  for (std::size_t i = 0; i < rows; ++i) {
    std::copy_n(scores + i * classes, classes, row.begin());
    const std::vector<double> eta = pair_posterior(pair, limits, row);
    std::transform(eta.begin(), eta.end(), probabilities + i * classes,
                   [](double p) { return static_cast<float>(p); });
  }
}

}  // namespace simplexboost

namespace simplexboost::inline SIMPLEXBOOST_ABI {

std::vector<double> posterior(const GammaPhi& pair, std::span<const double> scores) {
  if (scores.empty()) return {};
  return pair_posterior(pair, PairLimits(pair), scores);
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
