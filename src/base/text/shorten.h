// Whole weights without rounding: what is weighted is shortened first, so that a row of weight 3 is
// that row thrice, to the last bit.
#pragma once

#include <cstdint>

#include "base/simd/formula.h"

namespace simplexboost {

// Keeps 20 of the 24 bits of a float, rounded: products with whole numbers up to 16 are exact.
LANES_INLINE float shorten(float value) {
  return __builtin_bit_cast(float, (__builtin_bit_cast(std::uint32_t, value) + 8U) & ~15U);
}

}  // namespace simplexboost
