#include "loss/margin.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "loss/finite_margin.h"

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
    margins[i] = finite_margin(scores[label], rival);
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
    const double place = (static_cast<double>(value) - low) * per_bin;
    ++result.counts[place > 0 ? static_cast<std::size_t>(std::min(place, last)) : 0];
  }
  return result;
}

namespace {

// Keeps the order of floats.
std::uint32_t sort_key(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits & 0x8000'0000U) != 0 ? ~bits : bits | 0x8000'0000U;
}

float of_sort_key(std::uint32_t key) {
  return std::bit_cast<float>((key & 0x8000'0000U) != 0 ? key & 0x7fff'ffffU : ~key);
}

// The value of rank `place` (from 0) among the values of all ranks: byte by byte of the keys, from
// how many values begin with what is known and go on with each byte.
float value_at(std::span<const float> here, std::size_t place, const RowSpace& space) {
  std::uint32_t known = 0;
  for (int shift = 24; shift >= 0; shift -= 8) {
    std::array<std::int64_t, 256> counts{};
    for (const float value : here) {
      const std::uint64_t beyond = sort_key(value) ^ known;
      if (beyond >> (shift + 8) == 0) ++counts[(beyond >> shift) & 0xffU];
    }
    space.add_up(counts);
    std::uint32_t byte = 0;
    while (place >= static_cast<std::size_t>(counts[byte]))
      place -= static_cast<std::size_t>(counts[byte++]);
    known |= byte << shift;
  }
  return of_sort_key(known);
}

}  // namespace

MarginSummary summarize_margins(std::span<const float> here, const RowSpace& space,
                                std::size_t bins) {
  assert(here.size() == space.rows() && space.all() > 0);
  constexpr std::size_t kBlock = RowSpace::kBlock;
  const auto largest = [&](float sign) {
    return space.maximum(kBlock, [&, sign](std::size_t begin, std::size_t end) {
      float most = -std::numeric_limits<float>::infinity();
      for (std::size_t i = begin; i < end; ++i) most = std::max(most, sign * here[i]);
      return static_cast<double>(most);
    });
  };
  MarginSummary summary;
  summary.most = largest(1);
  summary.least = -largest(-1);
  const Histogram counted = histogram(here, bins, summary.least, summary.most);
  std::vector<std::int64_t> counts(counted.counts.begin(), counted.counts.end());
  space.add_up(counts);
  summary.histogram.assign(counts.begin(), counts.end());
  const auto size = static_cast<double>(space.all());
  const double sum = space.sum(kBlock, [&](std::size_t begin, std::size_t end) {
    return std::accumulate(here.begin() + static_cast<std::ptrdiff_t>(begin),
                           here.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
  });
  summary.mean = sum / size;
  const auto quantile = [&](double q) {
    const auto place = static_cast<std::size_t>(std::ceil(q * size)) - 1;
    return static_cast<double>(value_at(here, place, space));
  };
  summary.lower_quartile = quantile(0.25);
  summary.median = quantile(0.5);
  summary.upper_quartile = quantile(0.75);
  return summary;
}

}  // namespace simplexboost
