// exp and log in lanes, for the *_isa.cpp files alone (see lanes.h). No call to libm: all
// instruction levels, and all machines, give the same bits.
#pragma once

#include "base/lanes.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

template <std::size_t N>
LANES_INLINE Int<N> bits_of(Float<N> x) {
  return __builtin_bit_cast(Int<N>, x);
}
template <std::size_t N>
LANES_INLINE Float<N> from_bits(Int<N> x) {
  return __builtin_bit_cast(Float<N>, x);
}
template <std::size_t N>
LANES_INLINE Float<N> fill_lanes(float x) {
  return Float<N>{} + x;
}

inline constexpr float kInfinity = __builtin_huge_valf();
// ln 2 in two parts; the first has few enough bits that its multiples are exact.
inline constexpr float kLn2High = 0.693359375F;
inline constexpr float kLn2Low = -2.12194440e-4F;

// e^x to 2 units in the last place. Results below the smallest normal number are 0, since
// subnormal numbers would slow the loops down a hundredfold for nothing; NaN stays NaN.
template <std::size_t N>
LANES_INLINE Float<N> exp_lanes(Float<N> x) {
  constexpr float kLowest = -87.33654F;  // e^x leaves the normal numbers
  constexpr float kHighest = 88.72283F;  // e^x leaves the finite numbers
  constexpr float kLog2E = 1.44269504F;
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  const Float<N> within =
      select(x < kLowest, fill_lanes<N>(kLowest), select(x > kHighest, fill_lanes<N>(kHighest), x));
  const Float<N> shifted = within * kLog2E + kRound;
  const Float<N> power = shifted - kRound;
  const Float<N> r = (within - power * kLn2High) - power * kLn2Low;
  Float<N> p = r * 1.9875691500e-4F + 1.3981999507e-3F;  // the coefficients are Cephes' expf
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = (p * (r * r) + r) + 1.0F;
  // times 2^power: `shifted` holds the power in its low bits. Unsigned, since for NaN the sum
  // wraps.
  using Bits = typename VectorOf<std::uint32_t, N>::Type;
  const Bits scaled_bits = __builtin_bit_cast(Bits, p) + (__builtin_bit_cast(Bits, shifted) << 23);
  const Float<N> scaled = __builtin_bit_cast(Float<N>, scaled_bits);
  const Float<N> high = select(x > kHighest, fill_lanes<N>(kInfinity), scaled);
  const Float<N> low = select(x < kLowest, Float<N>{}, high);
  return select(x == x, low, x);
}

// log x to 2 units in the last place, for positive normal finite x.
template <std::size_t N>
LANES_INLINE Float<N> log_lanes(Float<N> x) {
  constexpr float kSqrtHalf = 0.707106781F;
  const Float<N> half_to_one =
      from_bits<N>((bits_of<N>(x) & 0x007fffff) | 0x3f000000);  // x = this * 2^power
  const Int<N> small = half_to_one < kSqrtHalf;                 // -1 where true
  const Float<N> power = to_float<N>((bits_of<N>(x) >> 23) - 126 + small);
  const Float<N> m = select(small, half_to_one + half_to_one, half_to_one) - 1.0F;
  Float<N> p = m * 7.0376836292e-2F - 1.1514610310e-1F;  // the coefficients are Cephes' logf
  p = p * m + 1.1676998740e-1F;
  p = p * m - 1.2420140846e-1F;
  p = p * m + 1.4249322787e-1F;
  p = p * m - 1.6668057665e-1F;
  p = p * m + 2.0000714765e-1F;
  p = p * m - 2.4999993993e-1F;
  p = p * m + 3.3333331174e-1F;
  const Float<N> square = m * m;
  const Float<N> tail = (p * m * square + power * kLn2Low) - square * 0.5F;
  return (m + tail) + power * kLn2High;
}

// log(1 + x) / x for x >= 0: full relative precision for small x, 1 at 0.
template <std::size_t N>
LANES_INLINE Float<N> log1p_ratio_lanes(Float<N> x) {
  const Float<N> y = x + 1.0F;
  const Float<N> step = y - 1.0F;  // what the rounding of y left of x
  return select(step > 0, log_lanes<N>(y) / select(step > 0, step, y), fill_lanes<N>(1));
}

// |g| (1 - bend |g|), the curvature that belongs to a pull of the logistic loss (FitTarget). The
// second factor is never zero, so neither is the curvature of a pull.
template <std::size_t N>
LANES_INLINE Float<N> pull_curvature(Float<N> pull, float bend) {
  constexpr float kLeastFactor = 5.9604645e-8F;
  const Float<N> size = absolute(pull);
  return size * maximum(1.0F - bend * size, fill_lanes<N>(kLeastFactor));
}

}  // namespace
}  // namespace simplexboost::SIMPLEXBOOST_ISA
