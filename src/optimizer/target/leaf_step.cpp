#include "optimizer/target/leaf_step.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace simplexboost {
namespace {

// Entries beyond `most` are cut off, and what is left is multiplied by `share`.
struct Shortened {
  double most;
  double share;

  double operator()(float value) const {
    return share * std::clamp(static_cast<double>(value), -most, most);
  }
};

// e^x - 1 - x, of which rounding leaves nothing where x is small.
double beyond_line(double x) { return x < 1e-4 ? x * x / 2 * (1 + x / 3) : std::expm1(x) - x; }

// Whether the loss of the leaf cannot rise.
bool falls(std::span<const double> pulls, std::span<const double> curvature, double rate,
           std::span<const float> values, const Shortened& shortened) {
  double slope = 0;
  double bend = 0;
  double least = shortened(values[0]);
  double most = least;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double v = shortened(values[k]);
    slope += pulls[k] * v;
    bend += 2 * curvature[k] * v * v;
    least = std::min(least, v);
    most = std::max(most, v);
  }
  const double range = most - least;
  return !(bend > 0) || beyond_line(rate * range) * bend <= rate * slope * range * range;
}

}  // namespace

void bound_leaf_step(std::span<const double> pulls, std::span<const double> curvature, double rate,
                     std::span<float> values) {
  constexpr double kCut = 0.7;
  constexpr double kShorten = 0.9;
  constexpr double kShortStep = 0.5;  // at which small entries need no cut, whatever the classes
  double most = 0;
  for (const float value : values) most = std::max(most, static_cast<double>(std::fabs(value)));
  Shortened shortened{most, 1};
  if (!(most > 0) || falls(pulls, curvature, rate, values, shortened)) return;
  do {
    shortened.most *= kCut;
    shortened.share = std::max(kShorten * shortened.share, kShortStep);
  } while (!falls(pulls, curvature, rate, values, shortened));
  for (float& value : values) value = static_cast<float>(shortened(value));
}

}  // namespace simplexboost
