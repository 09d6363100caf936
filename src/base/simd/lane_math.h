// exp and log of any number type (lanes.h). Of floats without a call to libm: all instruction
// levels, and all machines, give the same bits.
#pragma once

#include "base/simd/lanes.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

template <class Number>
LANES_INLINE typename BitsOf<Number>::Signed bits_of(Number x) {
  return __builtin_bit_cast(typename BitsOf<Number>::Signed, x);
}
template <class Number>
LANES_INLINE Number from_bits(typename BitsOf<Number>::Signed x) {
  return __builtin_bit_cast(Number, x);
}

inline constexpr float kInfinity = __builtin_huge_valf();
// ln 2 in two parts; the first has few enough bits that its multiples are exact.
inline constexpr float kLn2High = 0.693359375F;
inline constexpr float kLn2Low = -2.12194440e-4F;

// e^x to 2 units in the last place. Results below the smallest normal number are 0, since
// subnormal numbers would slow the loops down a hundredfold for nothing; NaN stays NaN.
template <class Number>
LANES_INLINE Number exp_of(Number x) {
  constexpr float kLowest = -87.33654F;  // ln of the smallest normal number
  constexpr float kHighest = 88.72283F;  // e^x leaves the finite numbers
  constexpr float kLog2E = 1.44269504F;
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  const Number within =
      select(x < kLowest, fill<Number>(kLowest), select(x > kHighest, fill<Number>(kHighest), x));
  const Number shifted = within * kLog2E + kRound;
  const Number power = shifted - kRound;
  const Number r = (within - power * kLn2High) - power * kLn2Low;
  Number p = r * 1.9875691500e-4F + 1.3981999507e-3F;  // the coefficients are Cephes' expf
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = (p * (r * r) + r) + 1.0F;
  // times 2^power: `shifted` holds the power in its low bits. Unsigned, since for NaN the sum
  // wraps.
  using Bits = typename BitsOf<Number>::Unsigned;
  const Bits scaled_bits = __builtin_bit_cast(Bits, p) + (__builtin_bit_cast(Bits, shifted) << 23);
  const auto scaled = __builtin_bit_cast(Number, scaled_bits);
  const Number high = select(x > kHighest, fill<Number>(kInfinity), scaled);
  const Number low = select(x < kLowest, Number{}, high);
  return select(x == x, low, x);  // NOLINT(misc-redundant-expression): but for NaN
}

// log x to 2 units in the last place, for positive normal finite x.
template <class Number>
LANES_INLINE Number log_of(Number x) {
  constexpr float kSqrtHalf = 0.707106781F;
  const auto half_to_one =
      from_bits<Number>((bits_of(x) & 0x007fffff) | 0x3f000000);  // x = this * 2^power
  const auto small = half_to_one < kSqrtHalf;
  const auto power = to_number<Number>((bits_of(x) >> 23) - 126 + mask_bits(small));
  const Number m = select(small, half_to_one + half_to_one, half_to_one) - 1.0F;
  Number p = m * 7.0376836292e-2F - 1.1514610310e-1F;  // the coefficients are Cephes' logf
  p = p * m + 1.1676998740e-1F;
  p = p * m - 1.2420140846e-1F;
  p = p * m + 1.4249322787e-1F;
  p = p * m - 1.6668057665e-1F;
  p = p * m + 2.0000714765e-1F;
  p = p * m - 2.4999993993e-1F;
  p = p * m + 3.3333331174e-1F;
  const Number square = m * m;
  const Number tail = (p * m * square + power * kLn2Low) - square * 0.5F;
  return (m + tail) + power * kLn2High;
}

// log(1 + x) / x for x >= 0: full relative precision for small x, 1 at 0.
template <class Number>
LANES_INLINE Number log1p_ratio(Number x) {
  const Number y = x + 1.0F;
  const Number step = y - 1.0F;  // what the rounding of y left of x
  return select(step > 0, log_of(y) / select(step > 0, step, y), fill<Number>(1));
}

// log(1 + x) for x >= 0.
template <class Number>
LANES_INLINE Number log1p_of(Number x) {
  return x * log1p_ratio(x);
}

// arctan x to 2 units in the last place, for any x.
template <class Number>
LANES_INLINE Number atan_of(Number x) {
  constexpr float kTanOfThreeEighths = 2.41421356F;  // of pi
  constexpr float kTanOfEighth = 0.414213562F;
  const Number size = absolute(x);
  const auto far = size > kTanOfThreeEighths;
  const auto near = size < kTanOfEighth;
  // arctan of a number is that of another, nearer to 0, beside a half or a quarter of pi.
  const Number other = select(far, fill<Number>(-1), size - 1.0F) / select(far, size, size + 1.0F);
  const Number r = select(near, size, other);
  const Number base =
      select(near, Number{}, select(far, fill<Number>(1.57079633F), fill<Number>(0.785398163F)));
  const Number z = r * r;
  Number p = z * 8.05374449538e-2F - 1.38776856032e-1F;  // the coefficients are Cephes' atanf
  p = p * z + 1.99777106478e-1F;
  p = p * z - 3.33329491539e-1F;
  const Number found = base + (p * z * r + r);
  return select(x < 0, -found, found);
}

template <class Number>
LANES_INLINE Number sqrt_of(Number x) {
  for (std::size_t i = 0; i < sizeof(Number) / sizeof(float); ++i) x[i] = __builtin_sqrtf(x[i]);
  return x;
}
LANES_INLINE float sqrt_of(float x) { return __builtin_sqrtf(x); }

// In double precision, where speed is no matter, libm serves.
LANES_INLINE double sqrt_of(double x) { return __builtin_sqrt(x); }
LANES_INLINE double exp_of(double x) { return __builtin_exp(x); }
LANES_INLINE double atan_of(double x) { return __builtin_atan(x); }
LANES_INLINE double log_of(double x) { return __builtin_log(x); }
LANES_INLINE double log1p_of(double x) { return __builtin_log1p(x); }
LANES_INLINE double log1p_ratio(double x) { return x > 0 ? __builtin_log1p(x) / x : 1; }

// |g| (1 - factor |g|), the curvature that belongs to a pull of the logistic loss (LeafTarget). The
// second of these factors is never zero, so neither is the curvature of a pull.
template <class Number>
LANES_INLINE Number pull_curvature(Number pull, float factor) {
  constexpr float kLeastFactor = 5.9604645e-8F;
  const Number size = absolute(pull);
  return size * maximum(1.0F - factor * size, fill<Number>(kLeastFactor));
}

}  // namespace
}  // namespace simplexboost::SIMPLEXBOOST_ISA
