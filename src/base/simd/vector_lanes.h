// Lanes by the compiler's vector extension (lanes.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/simd/formula.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

template <class T, std::size_t N>
struct VectorOf {
  using Type __attribute__((vector_size(N * sizeof(T)))) = T;
};
template <std::size_t N>
using Int = typename VectorOf<std::int32_t, N>::Type;
template <std::size_t N>
using Natural = typename VectorOf<std::uint32_t, N>::Type;
template <std::size_t N>
using Float = typename VectorOf<float, N>::Type;

template <std::size_t N>
LANES_INLINE Float<N> to_float(Int<N> x) {
  return __builtin_convertvector(x, Float<N>);
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

// Of four lanes: x2, x3, x2, x3.
template <class Vector>
LANES_INLINE Vector upper_pair_twice(Vector x) {
  return __builtin_shufflevector(x, x, 2, 3, 2, 3);
}

}  // namespace
}  // namespace simplexboost::SIMPLEXBOOST_ISA
