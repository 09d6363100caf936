// How large the margins of a user's pair may be before its functions leave the range of double.
#pragma once

#include <algorithm>

#include "simplexboost/loss.h"

namespace simplexboost {

// Margins are held within [low, high]: above `low` phi is finite, and gamma of many times it too;
// below `high` the weight -gamma'(phi) phi' is not yet lost to underflow. So a pair needs no log
// form: a row beyond a limit counts as if it stood there.
class PairLimits {
 public:
  explicit PairLimits(const GammaPhi& pair);

  double low() const { return low_; }
  double high() const { return high_; }
  double clamp(double margin) const { return std::clamp(margin, low_, high_); }

 private:
  double low_;
  double high_;
};

}  // namespace simplexboost
