#include "data/weight_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr double kLeastShare = 0x1p-100;
constexpr double kMostRepeats = 16;  // base/text/shorten.h: products with these are not rounded
constexpr double kRepeatRounding = 1e-9;  // of numbers that came from decimals
// Where the mean of weights lies within these powers of two, they count as they are given.
constexpr int kLowMean = -2;
constexpr int kHighMean = 4;
constexpr int kFarMean = 30;  // for weights of labels

// Of the positive weights, `width` a row, each times 2^shift; 0 where there is none.
double positive_mean(const std::vector<double>& weights, int shift, const RowSpace& space,
                     std::size_t width) {
  const double sum = space.sum(RowSpace::kBlock, [&](std::size_t begin, std::size_t end) {
    double part = 0;
    for (std::size_t i = begin * width; i < end * width; ++i)
      if (weights[i] > 0) part += std::ldexp(weights[i], shift);
    return part;
  });
  const std::int64_t count = space.add_up(static_cast<std::int64_t>(
      std::count_if(weights.begin(), weights.end(), [](double weight) { return weight > 0; })));
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

// The power of two that brings a mean of this exponent outside of [low, high) to [1, 2); 0 for one
// inside.
int mean_shift(int exponent, int low, int high) {
  return exponent >= low && exponent < high ? 0 : -exponent;
}

// Infinite where none is positive.
double smallest_positive(const std::vector<double>& weights, const RowSpace& space) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const double weight : weights)
    if (weight > 0) smallest = std::min(smallest, weight);
  return -space.largest(-smallest);
}

// Whether all are whole multiples of `smallest`, a few times as large at most.
bool are_repeats(const std::vector<double>& weights, double smallest, const RowSpace& space) {
  return space.every(std::all_of(weights.begin(), weights.end(), [&](double weight) {
    const double times = weight / smallest;
    return times < kMostRepeats + 0.5 &&
           std::fabs(times - std::round(times)) <= kRepeatRounding * times;
  }));
}

std::optional<std::size_t> find_tiny(const std::vector<double>& weights, const RowSpace& space,
                                     std::size_t width) {
  const int shift = weight_shift(weights, space);
  const double least = kLeastShare * positive_mean(weights, shift, space, width);
  for (std::size_t i = 0; i < weights.size(); ++i)
    // What the shift makes 0 is tiny, too.
    if (weights[i] > 0 && std::ldexp(weights[i], shift) < least) return i;
  return std::nullopt;
}

}  // namespace

int weight_shift(const std::vector<double>& weights, const RowSpace& space) {
  double largest = 0;
  for (const double weight : weights) largest = std::max(largest, weight);
  largest = space.largest(largest);
  return largest > 0 ? -std::ilogb(largest) : 0;
}

void shift_weights(std::vector<double>& weights, int shift) {
  for (double& weight : weights) weight = std::ldexp(weight, shift);
}

std::optional<std::size_t> find_tiny_weight(const std::vector<double>& weights,
                                            const RowSpace& space) {
  return find_tiny(weights, space, 1);
}

std::string describe_tiny_weight(double weight) {
  return fmt::format(
      "the weight {} is less than {:.0e} of the mean weight; give 0 or more than that", weight,
      kLeastShare);
}

void scale_weights(std::vector<double>& weights, const RowSpace& space) {
  const int shift = weight_shift(weights, space);
  std::vector<double> near = weights;  // far from the ends of the range
  shift_weights(near, shift);
  const double smallest = smallest_positive(near, space);
  if (are_repeats(near, smallest, space)) {
    for (std::size_t i = 0; i < near.size(); ++i) weights[i] = std::round(near[i] / smallest);
    return;
  }
  // Not of the weights as they are: their sum might overflow.
  const double mean = positive_mean(near, 0, space, 1);
  shift_weights(weights, mean_shift(std::ilogb(mean) - shift, kLowMean, kHighMean));
}

void scale_label_weights(const std::string& source, Labels& labels, const RowSpace& space) {
  const std::size_t classes = labels.classes.size();
  std::vector<double> weights(labels.weights.begin(), labels.weights.end());
  const std::size_t width = weights.empty() ? 0 : classes;
  if (const auto tiny = find_tiny(weights, space, width))
    throw DataError(
        Place{source},
        fmt::format("row {}, label '{}': {}", space.first() + *tiny / classes + 1,
                    labels.classes[*tiny % classes], describe_tiny_weight(weights[*tiny])));
  if (const double mean = positive_mean(weights, 0, space, width); mean > 0)
    shift_weights(weights, mean_shift(std::ilogb(mean), -kFarMean, kFarMean));
  std::transform(weights.begin(), weights.end(), labels.weights.begin(),
                 [](double weight) { return static_cast<float>(weight); });
}

std::vector<double> summable_weights(const std::vector<double>& weights, const RowSpace& space) {
  constexpr int kFar = 30;  // ordinary weights are left as they are
  std::vector<double> result = weights;
  if (const int shift = weight_shift(weights, space); std::abs(shift) > kFar)
    shift_weights(result, shift);
  return result;
}

}  // namespace simplexboost
