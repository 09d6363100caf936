#include "loss/pairs/pair_limits.h"

#include <cmath>

namespace simplexboost {
namespace {

constexpr double kFarthest = 1e7;
constexpr double kManyClasses = 1e6;
// Far enough from the ends of double that products of a few stay inside.
constexpr double kLargest = 1e140;
constexpr double kSmallest = 1e-280;

bool in_range(double x) { return std::abs(x) < kLargest; }  // false for NaN

bool finite_at(const GammaPhi& pair, double v) {
  const double s = kManyClasses * pair.phi(v);
  return in_range(s) && in_range(pair.phi_slope(v)) && in_range(pair.phi_curvature(v)) &&
         in_range(pair.gamma(s)) && in_range(pair.gamma_slope(s)) &&
         in_range(pair.gamma_curvature(s));
}

bool weighs_at(const GammaPhi& pair, double v) {
  return -pair.gamma_slope(pair.phi(v)) * pair.phi_slope(v) > kSmallest;
}

// The farthest point from 0 towards `end` at which `holds` still does, to three digits.
template <class Holds>
double farthest(double end, const Holds& holds) {
  if (holds(end)) return end;
  double good = 0;
  double bad = end;
  while (std::abs(bad) > 1e-9 && std::abs(bad - good) > 1e-3 * std::abs(bad)) {
    const double middle = (good + bad) / 2;
    (holds(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace

PairLimits::PairLimits(const GammaPhi& pair)
    : low_(farthest(-kFarthest, [&](double v) { return finite_at(pair, v); })),
      high_(farthest(kFarthest, [&](double v) { return weighs_at(pair, v); })) {}

}  // namespace simplexboost
