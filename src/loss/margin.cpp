#include "loss/margin.h"

#include <algorithm>
#include <cassert>

namespace simplexboost {

void row_margins(const LossBlock& block, float* margins) {
  for (std::size_t i = 0; i < block.rows; ++i) {
    const float* scores = block.scores + i * block.classes;
    const auto label = static_cast<std::size_t>(block.labels[i]);
    if (block.classes < 2) {
      margins[i] = 0;
      continue;
    }
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

}  // namespace simplexboost
