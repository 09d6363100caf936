// A figure with how sure it is.
#pragma once

#include <algorithm>
#include <cmath>

namespace simplexboost {

inline constexpr double kNormal95 = 1.959964;  // of 95 %

struct Interval {
  double value = 0;
  double low = 0;
  double high = 0;
};

// Wilson's interval of a share among `rows` rows of equal weight, which makes sense of shares near
// 0, too.
inline Interval wilson_interval(double share, double rows) {
  const double z = kNormal95 * kNormal95 / rows;
  const double middle = (share + z / 2) / (1 + z);
  const double half = kNormal95 * std::sqrt(share * (1 - share) / rows + z / (4 * rows)) / (1 + z);
  return {share, std::max(middle - half, 0.0), std::min(middle + half, 1.0)};
}

}  // namespace simplexboost
