// Short vectors of 4 or 8 lanes by the compiler's vector extension, for the *_isa.cpp files alone:
// the same source becomes SSE, AVX2 or AVX-512 code (see isa.h). Reductions have one fixed order.
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

// The order of additions is part of the promise that all instruction levels agree:
// ((x0 + x4) + (x2 + x6)) + ((x1 + x5) + (x3 + x7)).
template <class Vector>
LANES_INLINE float sum(Vector x) {
  if constexpr (sizeof(Vector) == 32) {
    return sum(lower_half(x) + upper_half(x));
  } else {
    const Vector pairs = x + __builtin_shufflevector(x, x, 2, 3, 2, 3);
    return pairs[0] + pairs[1];
  }
}
template <class Vector>
LANES_INLINE float largest(Vector x) {
  if constexpr (sizeof(Vector) == 32) {
    return largest(maximum(lower_half(x), upper_half(x)));
  } else {
    const Vector pairs = maximum<Vector>(x, __builtin_shufflevector(x, x, 2, 3, 2, 3));
    return pairs[1] > pairs[0] ? pairs[1] : pairs[0];
  }
}

}  // namespace
}  // namespace simplexboost::SIMPLEXBOOST_ISA
