// From a kind of number to its type.
#pragma once

#include <cstdint>

#include "base/simd/formula.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

// Calls f with a value of the type that `scalar` names.
template <class F>
LANES_INLINE auto visit_scalar(Scalar scalar, const F& f) {
  switch (scalar) {
    case Scalar::kFloat32: return f(float{});
    case Scalar::kInt8: return f(std::int8_t{});
    case Scalar::kInt16: return f(std::int16_t{});
    case Scalar::kInt32: return f(std::int32_t{});
    case Scalar::kInt64: return f(std::int64_t{});
    case Scalar::kUint8: return f(std::uint8_t{});
    case Scalar::kUint16: return f(std::uint16_t{});
    case Scalar::kUint32: return f(std::uint32_t{});
    case Scalar::kUint64: return f(std::uint64_t{});
    case Scalar::kFloat64: break;
  }
  return f(double{});
}

}  // namespace simplexboost
