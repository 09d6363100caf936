// Which values of a column take part in choosing its bins, and the bin of a number: formulas of the
// processor and of devices.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/simd/formula.h"

namespace simplexboost {

// Whether a value takes part in choosing the bins of its column.
LANES_INLINE bool counts(double value, double weight) { return value == value && weight > 0; }

// Which of the values that count are looked at: one of `step`, by a hash of its number among those
// of all ranks. So no order of the rows, and no gaps in them, can make the sample a bad one; and
// samples of parts of the rows make that of all of them.
struct Sampling {
  std::uint64_t step = 1;   // a power of two
  std::uint64_t first = 0;  // the number of the first value that is here

  LANES_INLINE bool takes(std::uint64_t number) const {
    // The finaliser of SplitMix64.
    std::uint64_t x = number + 0x9e37'79b9'7f4a'7c15;
    x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9;
    x = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11eb;
    return ((x ^ (x >> 31U)) & (step - 1)) == 0;
  }
};

// The number of thresholds below a value: a branch-free lower bound.
LANES_INLINE std::uint32_t thresholds_below(const double* thresholds, std::size_t count,
                                            double value) {
  const double* base = thresholds;
  while (count > 0) {
    const std::size_t half = (count + 1) / 2;
    base += base[half - 1] < value ? half : 0;
    count -= half;
  }
  return static_cast<std::uint32_t>(base - thresholds);
}

}  // namespace simplexboost
