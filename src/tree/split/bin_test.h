// Whether a bin goes left by a split of its feature: one test for rows here and on a device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/simd/formula.h"

namespace simplexboost {

// `set` has a bit for each bin, 32 to a word.
LANES_INLINE bool in_set(const std::uint32_t* set, std::size_t words, std::uint32_t bin) {
  return bin / 32 < words && (set[bin / 32] >> (bin % 32) & 1) != 0;
}

struct BinTest {
  std::uint32_t bin = 0;  // numeric: bins up to this one go left
  std::uint32_t missing_bin = 0;
  bool missing_left = false;
  bool categorical = false;
  const std::uint32_t* left_set = nullptr;  // categorical
  std::size_t set_words = 0;

  LANES_INLINE bool goes_left(std::uint32_t value) const {
    if (value == missing_bin) return missing_left;
    return categorical ? in_set(left_set, set_words, value) : value <= bin;
  }
};

}  // namespace simplexboost
