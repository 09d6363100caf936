#include "metric/temperature.h"

#include <algorithm>
#include <cmath>

#include "base/row_space.h"
#include "base/row_weights.h"

namespace simplexboost {
namespace {

constexpr double kLeastProbability = 1e-12;  // as where scores are pooled (model/pool.cpp)
constexpr double kMostScale = 8;
constexpr std::size_t kScaleBlock = 256;

// First and second derivative of the log loss in the scale.
struct Slope {
  double first = 0;
  double second = 0;
};

// As if so many more rows had come true as often as the probabilities say: few rows that are all
// right must not make the model sure without end.
constexpr double kPriorRows = 10;

// p_k ~ exp(s z_k): the slope is E z - z_c, its change Var z. `prior`: the share of what the
// probabilities themselves expect in the place of z_c.
Slope slope_of_row(const float* p, std::size_t classes, std::size_t truth, double scale,
                   double prior) {
  double top = -INFINITY;
  const auto z = [&](std::size_t k) { return std::log(std::max<double>(p[k], kLeastProbability)); };
  for (std::size_t k = 0; k < classes; ++k) top = std::max(top, scale * z(k));
  double sum = 0;
  double mean = 0;
  double squares = 0;
  double expected = 0;
  for (std::size_t k = 0; k < classes; ++k) {
    const double one = z(k);
    expected += static_cast<double>(p[k]) * one;
    const double q = std::exp(scale * one - top);
    sum += q;
    mean += q * one;
    squares += q * one * one;
  }
  mean /= sum;
  return {mean - (1 - prior) * z(truth) - prior * expected,
          std::max(squares / sum - mean * mean, 0.0)};
}

// Of one label: q = 1 / (1 + exp(-s z)).
Slope slope_of_label(double p, bool holds, double scale, double prior) {
  const double bounded = std::clamp(p, kLeastProbability, 1 - kLeastProbability);
  const double z = std::log(bounded) - std::log1p(-bounded);
  const double q = 1 / (1 + std::exp(-scale * z));
  const double truth = (1 - prior) * (holds ? 1 : 0) + prior * bounded;
  return {(q - truth) * z, q * (1 - q) * z * z};
}

Slope slope_of(const JudgedRows& rows, std::size_t i, double scale, double prior) {
  const std::size_t classes = rows.labels.classes.size();
  const float* p = rows.probabilities.row(i);
  if (!rows.labels.multi_label())
    return slope_of_row(p, classes, static_cast<std::size_t>(rows.labels.codes[i]), scale, prior);
  Slope sum;
  const float* known = rows.labels.row_weights(i);
  std::size_t next = rows.labels.offsets[i];
  for (std::size_t k = 0; k < classes; ++k) {
    const bool holds =
        next < rows.labels.offsets[i + 1] && static_cast<std::size_t>(rows.labels.codes[next]) == k;
    next += holds ? 1 : 0;
    const double weight = known ? static_cast<double>(known[k]) : 1;
    const Slope one = slope_of_label(static_cast<double>(p[k]), holds, scale, prior);
    sum.first += weight * one.first;
    sum.second += weight * one.second;
  }
  return sum;
}

Slope slope(const JudgedRows& rows, double scale, int threads) {
  const std::size_t count = rows.probabilities.rows;
  const double prior = kPriorRows / (kPriorRows + static_cast<double>(count));
  const RowWeights weights(rows.weights);
  const auto add = [&](std::size_t begin, std::size_t end, double* sums) {
    for (std::size_t i = begin; i < end; ++i) {
      const bool unseen = !rows.seen.empty() && rows.seen[i] == 0;
      if (unseen || (!rows.labels.multi_label() && rows.labels.codes[i] < 0)) continue;
      const Slope one = slope_of(rows, i, scale, prior);
      sums[0] += weights[i] * one.first;
      sums[1] += weights[i] * one.second;
    }
  };
  const std::vector<double> sums = RowSpace(count, threads).sums(kScaleBlock, 2, add);
  return {sums[0], sums[1]};
}

}  // namespace

// The loss is convex in the scale: Newton's steps, kept within a bracket that they narrow.
double fit_score_scale(const JudgedRows& rows, int threads) {
  constexpr int kSteps = 12;
  double low = 1 / kMostScale;
  double high = kMostScale;
  double scale = 1;
  for (int i = 0; i < kSteps; ++i) {
    const Slope now = slope(rows, scale, threads);
    if (now.first == 0 || !(now.second > 0)) break;
    (now.first > 0 ? high : low) = scale;
    double next = scale - now.first / now.second;
    if (!(next > low && next < high)) next = std::sqrt(low * high);
    if (std::fabs(next - scale) < 1e-6 * scale) break;
    scale = next;
  }
  return scale;
}

}  // namespace simplexboost
