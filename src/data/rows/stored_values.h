// The values of a column that may differ from zero, one by one: all of a dense column, what a
// sparse one stores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "data/visit_scalar.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

// The rows that a sparse column stores.
inline std::span<const std::uint32_t> stored_rows(const Column& column) {
  return *column.sparse_rows;
}

// Their values, from the begin-th to that before the end-th.
inline void copy_stored(const Column& column, std::size_t begin, std::size_t end, double* out) {
  visit_scalar(column.scalar, [&]<class T>(T value) {
    const std::byte* place = column.data + static_cast<std::ptrdiff_t>(begin) * column.stride;
    for (std::size_t k = 0; k < end - begin; ++k, place += column.stride) {
      std::memcpy(&value, place, sizeof value);
      out[k] = static_cast<double>(value);
    }
  });
}

// Calls use(row, value), rows ascending.
template <class Use>
void for_each_value(const Column& column, std::size_t rows, const Use& use) {
  constexpr std::size_t kValuesAtOnce = 512;
  double values[kValuesAtOnce];
  const std::uint32_t* const stored = column.sparse ? column.sparse_rows->data() : nullptr;
  const std::size_t count = column.sparse ? column.sparse_rows->size() : rows;
  for (std::size_t begin = 0; begin < count; begin += kValuesAtOnce) {
    const std::size_t end = std::min(begin + kValuesAtOnce, count);
    if (stored != nullptr) {
      copy_stored(column, begin, end, values);
    } else {
      column.copy(begin, end, values);
    }
    for (std::size_t k = begin; k < end; ++k)
      use(stored != nullptr ? std::size_t{stored[k]} : k, values[k - begin]);
  }
}

}  // namespace simplexboost
