// A column as the kernels of a device read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "data/visit_scalar.h"

namespace simplexboost {

// Values of rows in the memory of a device.
struct DeviceColumn {
  const std::byte* data;
  std::int64_t stride;  // in bytes
  Scalar scalar;
  bool categorical;

  // As Column::copy() gives it.
  LANES_INLINE double value(std::size_t row) const {
    const std::byte* const place = data + static_cast<std::int64_t>(row) * stride;
    const double number = visit_scalar(scalar, [&]<class T>(T) {
      return static_cast<double>(*reinterpret_cast<const T*>(place));
    });
    return categorical && number < 0 ? std::numeric_limits<double>::quiet_NaN() : number;
  }
};

}  // namespace simplexboost
