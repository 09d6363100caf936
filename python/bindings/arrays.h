// Arrays of Python as columns, and results as arrays: no copy on either way.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/model.h"

namespace simplexboost::python {

namespace nb = nanobind;

// Any array in memory, read only.
using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using MatrixView32 = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Throws DataError where no column can hold the array's kind of number.
Scalar scalar_of(const AnyArray& array);

// Held by the library, dropped with Python's lock.
inline std::shared_ptr<nb::object> hold(const nb::object& object) {
  return {new nb::object(object), [](nb::object* held) {
            const nb::gil_scoped_acquire lock;
            delete held;
          }};
}

// Hands the vector over to an array of Python.
template <class T, std::size_t kDimensions, class Allocator>
nb::ndarray<nb::numpy, T> to_array(std::vector<T, Allocator>&& values,
                                   const std::size_t (&shape)[kDimensions]) {
  using Values = std::vector<T, Allocator>;
  auto* owned = new Values(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Values*>(p); });
  return nb::ndarray<nb::numpy, T>(owned->data(), kDimensions, shape, owner);
}

template <class T>
nb::ndarray<nb::numpy, T> to_array(std::vector<T>&& values) {
  const std::size_t size = values.size();
  return to_array<T, 1>(std::move(values), {size});
}

inline nb::ndarray<nb::numpy, float> to_array(Matrix&& matrix) {
  return to_array<float, 2>(std::move(matrix.values), {matrix.rows, matrix.columns});
}

template <class T>
std::vector<T> to_vector(const Vector<T>& array) {
  return std::vector<T>(array.data(), array.data() + array.size());
}

}  // namespace simplexboost::python
