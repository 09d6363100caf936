#include "report/facts/resample.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "base/threads/parallel.h"

namespace simplexboost {
namespace {

constexpr std::size_t kMostUnits = 4096;
constexpr std::size_t kDraws = 1000;
constexpr double kTail = 0.025;

Interval middle_of(double value, std::vector<double>& drawn) {
  double mean = 0;
  for (const double one : drawn) mean += one / static_cast<double>(drawn.size());
  if (!std::isfinite(value) || !std::isfinite(mean)) return {value, value, value};
  const auto rank = [&](double share) {
    const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(drawn.size()));
    std::nth_element(drawn.begin(), drawn.begin() + place, drawn.end());
    return drawn[static_cast<std::size_t>(place)] - mean + value;
  };
  return {value, rank(kTail), rank(1 - kTail)};
}

}  // namespace

ResampledSums::ResampledSums(std::size_t rows, std::size_t width, std::uint64_t seed)
    : width_(width),
      units_(std::min(rows, kMostUnits)),
      seed_(seed),
      unit_of_(rows),
      sums_(units_ * width) {
  for (std::size_t i = 0; i < rows; ++i) unit_of_[i] = static_cast<std::uint32_t>(i % units_);
  if (rows > units_) Random(seed, 0xb007).shuffle(unit_of_);
}

std::vector<Interval> ResampledSums::intervals(std::size_t count, const Figures& figures,
                                               int threads) const {
  std::vector<std::vector<double>> drawn(count, std::vector<double>(kDraws));
  // The last of them is no draw, but the rows as they are.
  std::vector<double> values(count);
  parallel_for(resolve_threads(threads), kDraws + 1, [&](std::size_t draw) {
    Random random(seed_, 0xb0070 + draw);
    std::vector<double> sums(width_);
    for (std::size_t i = 0; i < units_; ++i) {
      const std::size_t unit = draw == kDraws ? i : random.below(units_);
      for (std::size_t j = 0; j < width_; ++j) sums[j] += sums_[unit * width_ + j];
    }
    std::vector<double> result(count);
    figures(sums.data(), result);
    for (std::size_t f = 0; f < count; ++f)
      (draw == kDraws ? values[f] : drawn[f][draw]) = result[f];
  });
  std::vector<Interval> result;
  for (std::size_t f = 0; f < count; ++f) result.push_back(middle_of(values[f], drawn[f]));
  return result;
}

double sign_test(std::size_t first, std::size_t second) {
  const auto n = static_cast<double>(first + second);
  const std::size_t least = std::min(first, second);
  // Twice the lower tail of the binomial of 1/2, term by term from its logarithm.
  double tail = 0;
  for (std::size_t k = 0; k <= least; ++k) {
    const auto x = static_cast<double>(k);
    tail += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) -
                     n * std::log(2.0));
  }
  return std::min(1.0, 2 * tail);
}

}  // namespace simplexboost
