// Numbers for formulas. A formula is a template over its number type: a float or a double, or
// several floats side by side ("lanes"), so that it is written once and serves the vector loops of
// the *_isa.cpp files (see isa.h), ordinary code and a CUDA compiler. All of them give the same
// bits: there is no fused multiply-add, and reductions have one fixed order.
//
// Float<N> and Int<N> are N = 4, 8 or 16 lanes by the compiler's vector extension: the same source
// becomes SSE, AVX2 or AVX-512 code. A CUDA compiler does not know it and takes arrays of plain
// numbers; so does who defines SIMPLEXBOOST_PLAIN_LANES, for the tests.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__) || defined(SIMPLEXBOOST_PLAIN_LANES)
#include "base/simd/plain_lanes.h"
#else
#include "base/simd/vector_lanes.h"
#endif

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

// The integers of the same bits.
template <class Number>
struct BitsOf {
  using Signed = Int<sizeof(Number) / 4>;
  using Unsigned = Natural<sizeof(Number) / 4>;
};
template <>
struct BitsOf<float> {
  using Signed = std::int32_t;
  using Unsigned = std::uint32_t;
};

// The same number in every lane.
template <class Number>
LANES_INLINE Number fill(float x) {
  return Number{} + x;
}

// a where the mask, a comparison of numbers, says so, and b elsewhere.
template <class Mask, class Number>
LANES_INLINE Number select(Mask mask, Number a, Number b) {
  return mask ? a : b;
}
template <class Number>
LANES_INLINE Number maximum(Number a, Number b) {
  return select(a > b, a, b);
}
template <class Number>
LANES_INLINE Number absolute(Number a) {
  return select(a < 0, -a, a);
}

// Copies rather than casts, which would promise alignment. Compilers make one unaligned move of
// each.
template <class Vector, class T>
LANES_INLINE Vector load(const T* place) {
  Vector value;
  __builtin_memcpy(&value, place, sizeof value);
  return value;
}
template <class Vector, class T>
LANES_INLINE void store(T* place, Vector value) {
  __builtin_memcpy(place, &value, sizeof value);
}

// The integers of a comparison: -1 where it holds.
template <class Mask>
LANES_INLINE Mask mask_bits(Mask mask) {
  return mask;
}
LANES_INLINE std::int32_t mask_bits(bool mask) { return mask ? -1 : 0; }

// The nearest numbers to integers.
template <class Number>
LANES_INLINE Number to_number(typename BitsOf<Number>::Signed x) {
  return to_float<sizeof(Number) / 4>(x);
}
template <>
LANES_INLINE float to_number<float>(std::int32_t x) {
  return static_cast<float>(x);
}

// Writes the first `count` lanes, fewer than there are, in pieces: a whole vector would cover what
// the next load wants, and loads wait long for stores that they overlap in part.
template <class Vector>
LANES_INLINE void store_first(float* place, Vector x, std::size_t count) {
  if constexpr (sizeof(Vector) == 64) {
    if (count >= 8) store(place, eight_lanes<0>(x));
    return count >= 8 ? store_first(place + 8, eight_lanes<8>(x), count - 8)
                      : store_first(place, eight_lanes<0>(x), count);
  } else {
    static_assert(sizeof(Vector) == 32);
    Float<4> rest = lower_half(x);
    if (count >= 4) {
      store(place, rest);
      rest = upper_half(x);
      place += 4;
    }
    const std::size_t left = count % 4;
    if (left > 0) place[0] = rest[0];
    if (left > 1) place[1] = rest[1];
    if (left > 2) place[2] = rest[2];
  }
}

// The order of additions is part of the promise that all instruction levels agree:
// ((x0 + x4) + (x2 + x6)) + ((x1 + x5) + (x3 + x7)), sixteen lanes as x_i + x_{i+8} first.
template <class Vector>
LANES_INLINE float sum(Vector x) {
  if constexpr (sizeof(Vector) == 64) {
    return sum(eight_lanes<0>(x) + eight_lanes<8>(x));
  } else if constexpr (sizeof(Vector) == 32) {
    return sum(lower_half(x) + upper_half(x));
  } else {
    const Vector pairs = x + upper_pair_twice(x);
    return pairs[0] + pairs[1];
  }
}
LANES_INLINE float sum(float x) { return x; }
template <class Vector>
LANES_INLINE float largest(Vector x) {
  if constexpr (sizeof(Vector) == 64) {
    return largest(maximum(eight_lanes<0>(x), eight_lanes<8>(x)));
  } else if constexpr (sizeof(Vector) == 32) {
    return largest(maximum(lower_half(x), upper_half(x)));
  } else {
    const auto pairs = maximum<Vector>(x, upper_pair_twice(x));
    return pairs[1] > pairs[0] ? pairs[1] : pairs[0];
  }
}

LANES_INLINE float largest(float x) { return x; }

}  // namespace
}  // namespace simplexboost::SIMPLEXBOOST_ISA
