// Short vectors of 4, 8 or 16 lanes by the compiler's vector extension, for the *_isa.cpp files
// alone: the same source becomes SSE, AVX2 or AVX-512 code (see isa.h). Reductions have one fixed
// order.
#pragma once

#include <cstddef>
#include <cstdint>

#define LANES_INLINE inline __attribute__((always_inline))

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

template <class T, std::size_t N>
struct VectorOf {
  typedef T Type __attribute__((vector_size(N * sizeof(T)), aligned(alignof(T)), may_alias));
};
template <std::size_t N>
using Int = typename VectorOf<std::int32_t, N>::Type;
template <std::size_t N>
using Float = typename VectorOf<float, N>::Type;

// Copies rather than casts: as a template argument a vector type loses its "may be unaligned" with
// clang. Compilers make one unaligned move of each.
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

template <std::size_t N>
LANES_INLINE Float<N> to_float(Int<N> x) {
  return __builtin_convertvector(x, Float<N>);
}

template <class Mask, class Vector>
LANES_INLINE Vector select(Mask mask, Vector a, Vector b) {
  return mask ? a : b;
}
template <class Vector>
LANES_INLINE Vector maximum(Vector a, Vector b) {
  return a > b ? a : b;
}
template <class Vector>
LANES_INLINE Vector absolute(Vector a) {
  return a < 0 ? -a : a;
}

// The lower four lanes and the upper four.
template <class Vector>
LANES_INLINE Float<4> lower_half(Vector x) {
  return Float<4>(__builtin_shufflevector(x, x, 0, 1, 2, 3));
}
template <class Vector>
LANES_INLINE Float<4> upper_half(Vector x) {
  return Float<4>(__builtin_shufflevector(x, x, 4, 5, 6, 7));
}

// Eight lanes of sixteen, from `First` on.
template <std::size_t First, class Vector>
LANES_INLINE Float<8> eight_lanes(Vector x) {
  return Float<8>(__builtin_shufflevector(x, x, First, First + 1, First + 2, First + 3, First + 4,
                                          First + 5, First + 6, First + 7));
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
    const Vector pairs = x + __builtin_shufflevector(x, x, 2, 3, 2, 3);
    return pairs[0] + pairs[1];
  }
}
template <class Vector>
LANES_INLINE float largest(Vector x) {
  if constexpr (sizeof(Vector) == 64) {
    return largest(maximum(eight_lanes<0>(x), eight_lanes<8>(x)));
  } else if constexpr (sizeof(Vector) == 32) {
    return largest(maximum(lower_half(x), upper_half(x)));
  } else {
    const Vector pairs = maximum<Vector>(x, __builtin_shufflevector(x, x, 2, 3, 2, 3));
    return pairs[1] > pairs[0] ? pairs[1] : pairs[0];
  }
}

}  // namespace
}  // namespace simplexboost::SIMPLEXBOOST_ISA
