#include "model/predict/adjusted.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/threads/thread_scratch.h"
#include "model/predict/link.h"

namespace simplexboost {
namespace {

double bounded_probability(double p, bool odds) {
  return std::clamp(p, kLeastTold, odds ? 1 - kLeastTold : 1.0);
}

// From logarithms, or log-odds of labels, back to probabilities.
void from_logs(bool multi_label, std::span<double> logs) {
  if (multi_label) {
    for (double& z : logs) z = 1 / (1 + std::exp(-z));
    return;
  }
  const double top = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (double& z : logs) sum += z = std::exp(z - top);
  for (double& z : logs) z /= sum;
}

// Linear between knots, level beyond them.
double curve(std::span<const double> p, std::span<const double> q, double x) {
  const auto above = static_cast<std::size_t>(std::upper_bound(p.begin(), p.end(), x) - p.begin());
  if (above == 0) return q.front();
  if (above == p.size()) return q.back();
  const double part = (x - p[above - 1]) / (p[above] - p[above - 1]);
  return q[above - 1] + part * (q[above] - q[above - 1]);
}

void apply_curves(const ProbabilityMap& map, bool multi_label, std::span<double> proba) {
  std::uint64_t begin = 0;
  double sum = 0;
  for (std::size_t k = 0; k < proba.size(); ++k) {
    const std::size_t count = map.knot_end[k] - begin;
    proba[k] =
        curve({map.knot_p.data() + begin, count}, {map.knot_q.data() + begin, count}, proba[k]);
    proba[k] = bounded_probability(proba[k], multi_label);
    sum += proba[k];
    begin = map.knot_end[k];
  }
  if (multi_label) return;
  for (double& q : proba) q /= sum;
}

}  // namespace

double told_log(double p, bool odds) {
  const double bounded = bounded_probability(p, odds);
  return odds ? std::log(bounded) - std::log1p(-bounded) : std::log(bounded);
}

void apply_map(const ProbabilityMap& map, bool multi_label, std::span<double> proba) {
  if (map.empty()) return;
  if (!map.knot_end.empty()) return apply_curves(map, multi_label, proba);
  for (std::size_t k = 0; k < proba.size(); ++k) {
    const double scale = map.scale[map.scale.size() == 1 ? 0 : k];
    proba[k] = scale * told_log(proba[k], multi_label) + (map.shift.empty() ? 0 : map.shift[k]);
  }
  from_logs(multi_label, proba);
}

void apply_priors(std::span<const double> then, std::span<const double> now, bool multi_label,
                  std::span<double> proba) {
  for (std::size_t k = 0; k < proba.size(); ++k) {
    const double ratio = told_log(now[k], multi_label) - told_log(then[k], multi_label);
    proba[k] = told_log(proba[k], multi_label) + ratio;
  }
  from_logs(multi_label, proba);
}

void adjust_scores(const Ensemble& ensemble, std::span<float> scores) {
  auto& proba = thread_scratch<struct AdjustedRow, std::vector<double>>();
  proba.resize(scores.size());
  const bool sets = ensemble.schema.multi_label;
  link_probabilities(ensemble, scores, proba.data());
  apply_map(ensemble.map, sets, proba);
  if (!ensemble.priors.empty()) apply_priors(ensemble.class_shares, ensemble.priors, sets, proba);
  for (std::size_t k = 0; k < scores.size(); ++k)
    scores[k] = static_cast<float>(told_log(proba[k], sets));
}

}  // namespace simplexboost
