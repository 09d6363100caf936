// Sums over rows of pulls and curvatures, for some leaves: exact, so that they depend neither on
// the order of the rows nor on how they are parted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/fixed_point.h"
#include "tree/kernels/kernels.h"

namespace simplexboost {

// What sums of pulls, and of curvatures, are counted in.
struct ValueUnits {
  SumUnit pull;
  SumUnit curvature;
};

// In double precision for a few rows, then as integers.
class ValueSums {
 public:
  ValueSums(const ValueUnits& units, std::size_t leaves, std::size_t width)
      : units_(units), leaves_(leaves), width_(width), sums_(leaves * 2 * width) {
    for (std::size_t i = 0; i < sums_.size(); ++i)
      sums_[i] = (i / width % 2 == 0 ? units.pull : units.curvature).start();
  }

  // Adds no more than SumUnit::kMost rows to `units`: leaves x (pulls, then curvatures).
  void add(ValueArgs args, std::int64_t* units) {
    args.factor = SumUnit::kNudge;
    args.sums = sums_.data();
    kernels().add_values(args);
    kernels().take_values(
        {sums_.data(), leaves_, width_, units_.pull.start(), units_.curvature.start(), units});
  }

 private:
  ValueUnits units_;
  std::size_t leaves_;
  std::size_t width_;
  std::vector<double> sums_;
};

}  // namespace simplexboost
