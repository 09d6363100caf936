// By how much one score exceeds another, of plain code and of devices.
#pragma once

#include "base/simd/formula.h"

namespace simplexboost {

// Scores at the ends of their range can be further apart than a float tells; what is no number is
// right of no row.
LANES_INLINE float finite_margin(float own, float rival) {
  constexpr float kMost = 3.40282347e+38F;
  const float margin = own - rival;
  if (!(margin == margin) || margin < -kMost) return -kMost;
  return margin > kMost ? kMost : margin;
}

}  // namespace simplexboost
