// e^x in double precision without a call to libm, so that all machines and devices give the same
// bits.
#pragma once

#include <cstdint>

#include "base/simd/formula.h"

namespace simplexboost {

// To a unit in the last place. Results below the smallest normal number are 0; NaN stays NaN.
LANES_INLINE double double_exp(double x) {
  constexpr double kLowest = -708.396418532264106;  // ln of the smallest normal number
  constexpr double kHighest = 709.782712893383973;  // e^x leaves the finite numbers
  constexpr double kLog2E = 1.44269504088896340736;
  constexpr double kRound = 0x1.8p52;  // adding it rounds to an integer
  // ln 2 in two parts; the first has few enough bits that its multiples are exact.
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  const double within = x < kLowest ? kLowest : x > kHighest ? kHighest : x;
  const double shifted = within * kLog2E + kRound;
  const double power = shifted - kRound;
  const double r = (within - power * kLn2High) - power * kLn2Low;
  // Taylor's series: |r| is at most ln 2 / 2, where what follows is below 2^-57.
  double p = r * (1.0 / 6227020800.0) + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 1.0 / 2.0;
  p = (p * (r * r) + r) + 1.0;
  // times 2^power, in two steps, as 2^1024 is no number: `shifted` holds it in its low bits.
  const auto low = static_cast<std::int32_t>(__builtin_bit_cast(std::uint64_t, shifted));
  const std::int32_t half = low / 2;
  const auto two_to = [](std::int32_t n) {
    return __builtin_bit_cast(double, static_cast<std::uint64_t>(std::int64_t{n} + 1023) << 52U);
  };
  const double scaled = p * two_to(half) * two_to(low - half);
  const double high = x > kHighest ? __builtin_huge_val() : scaled;
  const double normal = x < kLowest ? 0.0 : high;
  return x == x ? normal : x;  // NOLINT(misc-redundant-expression): but for NaN
}

}  // namespace simplexboost
