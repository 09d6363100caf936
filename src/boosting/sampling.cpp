#include "boosting/sampling.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "base/random.h"

namespace simplexboost {
namespace {

constexpr std::size_t kRowBlock = 4096;

std::size_t share_of(std::size_t count, double fraction, std::size_t least) {
  const auto wanted = static_cast<std::size_t>(std::lround(fraction * static_cast<double>(count)));
  return std::clamp(wanted, std::min(least, count), count);
}

// A random subset of the given share, ascending; nothing at all where the share is everything.
void pick(Random& random, std::size_t count, double fraction, std::size_t least,
          std::vector<std::uint32_t>& out) {
  out.clear();
  if (fraction >= 1) return;
  std::size_t wanted = share_of(count, fraction, least);
  // Selection sampling: each item with the chance (still wanted) / (still to come).
  for (std::size_t i = 0; i < count && wanted > 0; ++i) {
    if (random.uniform() * static_cast<double>(count - i) >= static_cast<double>(wanted)) continue;
    out.push_back(static_cast<std::uint32_t>(i));
    --wanted;
  }
}

double weight_of(const FitTarget& target, std::size_t row) {
  return target.weights ? static_cast<double>(target.weights[row]) : 1.0;
}

void scale(const float* values, std::size_t width, const std::vector<double>& factors, int threads,
           std::vector<float>& out) {
  out.resize(factors.size() * width);
  parallel_blocks(threads, factors.size(), kRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = i * width; j < (i + 1) * width; ++j)
        out[j] = static_cast<float>(factors[i] * (values ? static_cast<double>(values[j]) : 1.0));
  });
}

}  // namespace

std::vector<std::uint32_t> draw_by_weight(const std::vector<double>& weights, std::size_t draws,
                                          Random& random) {
  // Sorted uniform numbers are the running sums of exponential ones, divided by the last: one
  // sweep over the running sum of the weights meets them all.
  std::vector<double> places(draws);
  double sum = 0;
  for (double& place : places) place = sum -= std::log1p(-random.uniform());
  sum -= std::log1p(-random.uniform());
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  assert(total > 0 && std::isfinite(total));
  std::vector<std::uint32_t> counts(weights.size());
  std::size_t next = 0;
  double reached = 0;
  std::size_t last = 0;  // of positive weight: takes what rounding leaves over
  for (std::size_t i = 0; i < weights.size(); ++i) {
    reached += weights[i];
    if (weights[i] > 0) last = i;
    for (; next < draws && places[next] / sum * total < reached; ++next) ++counts[i];
  }
  counts[last] += static_cast<std::uint32_t>(draws - next);
  return counts;
}

Sampler::Sampler(const Parameters& parameters, std::size_t rows, std::size_t features)
    : parameters_(parameters), row_count_(rows), feature_count_(features) {}

Sampler::Round Sampler::draw(const FitTarget& target, std::size_t round, std::size_t index) {
  const std::uint64_t stream = 2 * round + 1;
  Random random(parameters_.seed, stream);
  target_ = target;
  if (parameters_.weight_floor > 0) lift(parameters_.weight_floor);
  if (parameters_.resample == "weights") {
    resample(random);
  } else {
    pick(random, row_count_, parameters_.row_fraction, 2, rows_);
  }
  Random other(parameters_.seed, stream + ((index + 1) << 32U));
  pick(other, feature_count_, parameters_.feature_fraction, 1, features_);
  return {target_, {rows_, features_}};
}

void Sampler::lift(double floor) {
  double total = 0;
  for (std::size_t i = 0; i < row_count_; ++i) total += weight_of(target_, i);
  const double least = floor * total;
  factors_.assign(row_count_, 1.0);
  bool any = false;
  for (std::size_t i = 0; i < row_count_; ++i) {
    const double weight = weight_of(target_, i);
    if (!(weight > 0 && weight < least)) continue;
    factors_[i] = least / weight;
    any = true;
  }
  if (any) scale_rows();
}

void Sampler::resample(Random& random) {
  std::vector<double> weights(row_count_);
  for (std::size_t i = 0; i < row_count_; ++i) weights[i] = weight_of(target_, i);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  rows_.clear();
  if (!(total > 0) || !std::isfinite(total)) return;
  const std::size_t draws = share_of(row_count_, parameters_.row_fraction, 2);
  const std::vector<std::uint32_t> counts = draw_by_weight(weights, draws, random);
  // Each draw weighs the same; together they weigh what all rows weighed.
  const double one = total / static_cast<double>(draws);
  factors_.assign(row_count_, 0.0);
  for (std::size_t i = 0; i < row_count_; ++i) {
    if (counts[i] == 0) continue;
    factors_[i] = counts[i] * one / weights[i];
    rows_.push_back(static_cast<std::uint32_t>(i));
  }
  scale_rows();
}

void Sampler::scale_rows() {
  const int threads = resolve_threads(parameters_.threads);
  // Element by element: the arrays may already be our own.
  scale(target_.pulls, target_.width, factors_, threads, pulls_);
  scale(target_.weights, 1, factors_, threads, weights_);
  if (target_.curvature) {
    scale(target_.curvature, target_.width, factors_, threads, curvature_);
    target_.curvature = curvature_.data();
  }
  if (target_.value_width > 0) {
    scale(target_.value_weights, 1, factors_, threads, value_weights_);
    target_.value_weights = value_weights_.data();
  }
  target_.pulls = pulls_.data();
  target_.weights = weights_.data();
}

}  // namespace simplexboost
