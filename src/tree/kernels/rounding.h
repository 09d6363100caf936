// How statistics are rounded to integers: half away from zero, the same on every machine, whatever
// its rounding mode. Over a number type (base/simd/lanes.h).
#pragma once

#include "base/simd/lanes.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

// What is left to do is to cut off the digits behind the point.
template <class Number>
LANES_INLINE Number before_rounding(Number values, float scale) {
  const Number x = values * scale;
  const auto half = fill<Number>(0.5F);
  return x + select(x < 0, -half, half);
}

}  // namespace
}  // namespace simplexboost::SIMPLEXBOOST_ISA
