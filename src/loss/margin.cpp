#include "loss/margin.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace simplexboost {

void row_margins(const LossBlock& block, float* margins) {
  for (std::size_t i = 0; i < block.rows; ++i) {
    const float* scores = block.scores + i * block.classes;
    if (block.labels[i] < 0 || block.classes < 2) {
      margins[i] = block.labels[i] < 0 ? std::numeric_limits<float>::quiet_NaN() : 0;
      continue;
    }
    const auto label = static_cast<std::size_t>(block.labels[i]);
    float rival = scores[label == 0 ? 1 : 0];
    for (std::size_t l = 0; l < block.classes; ++l)
      if (l != label) rival = std::max(rival, scores[l]);
    margins[i] = scores[label] - rival;
  }
}

Histogram histogram(std::span<const float> values, std::size_t bins) {
  if (values.empty()) return {0, 0, std::vector<std::size_t>(bins)};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return histogram(values, bins, static_cast<double>(*least), static_cast<double>(*most));
}

Histogram histogram(std::span<const float> values, std::size_t bins, double low, double high) {
  assert(bins > 0 && low <= high);
  Histogram result{low, high, std::vector<std::size_t>(bins)};
  // All values alike: one bin holds them.
  const double per_bin = high > low ? static_cast<double>(bins) / (high - low) : 0;
  const auto last = static_cast<double>(bins - 1);
  for (const float value : values) {
    const double bin = std::clamp((static_cast<double>(value) - low) * per_bin, 0.0, last);
    ++result.counts[static_cast<std::size_t>(bin)];
  }
  return result;
}

MarginSummary summarize_margins(std::vector<float> margins, std::size_t bins) {
  assert(!margins.empty());
  MarginSummary summary;
  Histogram counts = histogram(margins, bins);
  summary.least = counts.low;
  summary.most = counts.high;
  summary.histogram = std::move(counts.counts);
  const auto size = static_cast<double>(margins.size());
  summary.mean = std::accumulate(margins.begin(), margins.end(), 0.0) / size;
  const auto quantile = [&](double q) {
    const auto at = margins.begin() + static_cast<std::ptrdiff_t>(std::ceil(q * size)) - 1;
    std::nth_element(margins.begin(), at, margins.end());
    return static_cast<double>(*at);
  };
  summary.lower_quartile = quantile(0.25);
  summary.median = quantile(0.5);
  summary.upper_quartile = quantile(0.75);
  return summary;
}

}  // namespace simplexboost
