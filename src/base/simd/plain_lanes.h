// Lanes as arrays of plain numbers (lanes.h), for compilers without vectors: what the vector
// extension does with +, <, & and the rest, lane by lane.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/simd/formula.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

template <class T, std::size_t N>
struct PlainLanes {
  T lane[N];

  PlainLanes() = default;
  LANES_INLINE PlainLanes(T x) {  // in every lane, so that numbers and lanes may be mixed
    for (std::size_t i = 0; i < N; ++i) lane[i] = x;
  }

  LANES_INLINE T& operator[](std::size_t i) { return lane[i]; }
  LANES_INLINE T operator[](std::size_t i) const { return lane[i]; }

  // Where a comparison holds, all bits are set.
  using Mask = PlainLanes<std::int32_t, N>;

#define SIMPLEXBOOST_LANES(Result, op, expression)                                   \
  friend LANES_INLINE Result operator op(const PlainLanes& a, const PlainLanes& b) { \
    Result result;                                                                   \
    for (std::size_t i = 0; i < N; ++i) result.lane[i] = expression;                 \
    return result;                                                                   \
  }
  SIMPLEXBOOST_LANES(PlainLanes, +, a.lane[i] + b.lane[i])
  SIMPLEXBOOST_LANES(PlainLanes, -, a.lane[i] - b.lane[i])
  SIMPLEXBOOST_LANES(PlainLanes, *, a.lane[i] * b.lane[i])
  SIMPLEXBOOST_LANES(PlainLanes, /, a.lane[i] / b.lane[i])
  SIMPLEXBOOST_LANES(PlainLanes, &, a.lane[i] & b.lane[i])
  SIMPLEXBOOST_LANES(PlainLanes, |, a.lane[i] | b.lane[i])
  SIMPLEXBOOST_LANES(Mask, <, a.lane[i] < b.lane[i] ? -1 : 0)
  SIMPLEXBOOST_LANES(Mask, >, a.lane[i] > b.lane[i] ? -1 : 0)
  SIMPLEXBOOST_LANES(Mask, >=, a.lane[i] >= b.lane[i] ? -1 : 0)
  SIMPLEXBOOST_LANES(Mask, ==, a.lane[i] == b.lane[i] ? -1 : 0)
  SIMPLEXBOOST_LANES(Mask, !=, a.lane[i] != b.lane[i] ? -1 : 0)
#undef SIMPLEXBOOST_LANES

  friend LANES_INLINE PlainLanes operator<<(PlainLanes a, int by) {
    for (std::size_t i = 0; i < N; ++i) a.lane[i] <<= by;
    return a;
  }
  friend LANES_INLINE PlainLanes operator>>(PlainLanes a, int by) {
    for (std::size_t i = 0; i < N; ++i) a.lane[i] >>= by;
    return a;
  }
  friend LANES_INLINE PlainLanes operator-(PlainLanes a) {
    for (std::size_t i = 0; i < N; ++i) a.lane[i] = -a.lane[i];
    return a;
  }
  LANES_INLINE PlainLanes& operator+=(const PlainLanes& b) { return *this = *this + b; }
  LANES_INLINE PlainLanes& operator*=(const PlainLanes& b) { return *this = *this * b; }
  LANES_INLINE PlainLanes& operator&=(const PlainLanes& b) { return *this = *this & b; }

  friend LANES_INLINE PlainLanes select(const Mask& mask, const PlainLanes& a,
                                        const PlainLanes& b) {
    PlainLanes result;
    for (std::size_t i = 0; i < N; ++i) result.lane[i] = mask.lane[i] ? a.lane[i] : b.lane[i];
    return result;
  }
};

template <std::size_t N>
using Int = PlainLanes<std::int32_t, N>;
template <std::size_t N>
using Natural = PlainLanes<std::uint32_t, N>;
template <std::size_t N>
using Float = PlainLanes<float, N>;

template <std::size_t N>
LANES_INLINE Float<N> to_float(Int<N> x) {
  Float<N> result;
  for (std::size_t i = 0; i < N; ++i) result.lane[i] = static_cast<float>(x.lane[i]);
  return result;
}

// `Count` lanes from `First` on.
template <std::size_t First, std::size_t Count, std::size_t N>
LANES_INLINE Float<Count> some_lanes(const Float<N>& x) {
  Float<Count> result;
  for (std::size_t i = 0; i < Count; ++i) result.lane[i] = x.lane[First + i];
  return result;
}
LANES_INLINE Float<4> lower_half(const Float<8>& x) { return some_lanes<0, 4>(x); }
LANES_INLINE Float<4> upper_half(const Float<8>& x) { return some_lanes<4, 4>(x); }
template <std::size_t First>
LANES_INLINE Float<8> eight_lanes(const Float<16>& x) {
  return some_lanes<First, 8>(x);
}
LANES_INLINE Float<4> upper_pair_twice(const Float<4>& x) {
  Float<4> result;
  for (std::size_t i = 0; i < 4; ++i) result.lane[i] = x.lane[2 + i % 2];
  return result;
}

}  // namespace
}  // namespace simplexboost::SIMPLEXBOOST_ISA
