#include "bindings/device_arrays.h"

#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>

#include "bindings/arrays.h"
#include "bindings/interrupt.h"
#include "bindings/table.h"
#include "cuda/device_columns.h"
#include "model/predict/model_devices.h"
#include "simplexboost/error.h"
#include "simplexboost/on_device.h"

namespace simplexboost::python {
namespace {

using namespace nb::literals;

// The kind of number that "<f4" and the like of array interfaces name.
Scalar scalar_named(const std::string& type) {
  static constexpr std::pair<const char*, Scalar> kScalars[] = {
      {"f4", Scalar::kFloat32}, {"f8", Scalar::kFloat64}, {"i1", Scalar::kInt8},
      {"i2", Scalar::kInt16},   {"i4", Scalar::kInt32},   {"i8", Scalar::kInt64},
      {"u1", Scalar::kUint8},   {"u2", Scalar::kUint16},  {"u4", Scalar::kUint32},
      {"u8", Scalar::kUint64},  {"b1", Scalar::kUint8}};
  const std::string kind = type.empty() ? type : type.substr(1);
  for (const auto& [name, scalar] : kScalars)
    if (kind == name && type[0] != '>') return scalar;
  throw DataError(
      fmt::format("an array on a device holds '{}'; give whole numbers, float32 or float64", type));
}

// An array of one or two dimensions on a device; strides in bytes.
class DeviceArrayView {
 public:
  DeviceArrayView(std::uintptr_t pointer, std::pair<std::size_t, std::size_t> shape,
                  std::pair<std::ptrdiff_t, std::ptrdiff_t> strides, const std::string& type,
                  const nb::object& owner, const std::string& device)
      : shape_(shape), strides_(strides) {
    const void* const data = reinterpret_cast<const void*>(pointer);  // NOLINT
    column_.scalar = scalar_named(type);
    column_.data = static_cast<const std::byte*>(data);
    column_.stride = strides.first;
    if (strides.first < 0 || strides.second < 0)
      throw DataError("an array on a device runs backwards; copy it first");
    const std::string place = place_of_memory(device, data);
    column_.owner = device_owner(data, {device_memory(open_device(place)), hold(owner)});
  }

  void add_to(Table& table, const Names& names) const {
    if (names.size() != shape_.second || shape_.first != table.data().rows)
      throw DataError("an array on a device does not fit into its table");
    Column column = column_;
    for (const std::string& name : names) {
      column.schema.name = name;
      table.add_column(column);
      column.data += strides_.second;
    }
  }
  // Whether a number is infinite, found there.
  bool holds_infinity() const {
    Column column = column_;
    for (std::size_t j = 0; j < shape_.second; ++j, column.data += strides_.second)
      if (memory_of(column)->holds_infinity(column, shape_.first)) return true;
    return false;
  }
  // All of it here, rows x columns.
  nb::ndarray<nb::numpy, double> to_host() const {
    std::vector<double> values(shape_.first * shape_.second);
    std::vector<double> one(shape_.first);
    Column column = column_;
    for (std::size_t j = 0; j < shape_.second; ++j, column.data += strides_.second) {
      column.copy(0, shape_.first, one.data());
      for (std::size_t i = 0; i < shape_.first; ++i) values[i * shape_.second + j] = one[i];
    }
    return to_array<double, 2>(std::move(values), {shape_.first, shape_.second});
  }

 private:
  std::pair<std::size_t, std::size_t> shape_;
  std::pair<std::ptrdiff_t, std::ptrdiff_t> strides_;
  Column column_;
};

// (pointer, shape, strides, type) of what DLPack gives.
nb::tuple dlpack_parts(const nb::ndarray<nb::ro, nb::device::cuda>& array) {
  static constexpr const char* kKinds[] = {"i", "u", "f"};
  const auto code = array.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bool)
                        ? std::uint8_t{1}
                        : array.dtype().code;
  if (code > 2 || array.ndim() < 1 || array.ndim() > 2)
    throw DataError("an array on a device must be a matrix of whole numbers, float32 or float64");
  const auto size = static_cast<std::ptrdiff_t>(array.itemsize());
  nb::list shape;
  nb::list strides;
  for (std::size_t i = 0; i < array.ndim(); ++i) {
    shape.append(array.shape(i));
    strides.append(array.stride(i) * size);
  }
  return nb::make_tuple(reinterpret_cast<std::uintptr_t>(array.data()), nb::tuple(shape),
                        nb::tuple(strides), fmt::format("<{}{}", kKinds[code], array.itemsize()));
}

// Probabilities or scores in the memory of the device, for DLPack; those of an emulated device as
// an array of numpy. None where the device does not tell them by itself.
nb::object predict_there(const Model& model, const Table& table, bool proba, int threads) {
  const Prediction what = proba ? Prediction::kDoubleProba : Prediction::kScores;
  std::optional<PredictedThere> found =
      unlocked([&] { return predict_to_device(model, table.data(), threads, what); });
  if (!found) return nb::none();
  auto* const held = new std::shared_ptr<std::byte>(found->memory);
  const nb::capsule owner(
      held, [](void* p) noexcept { delete static_cast<std::shared_ptr<std::byte>*>(p); });
  const std::size_t shape[] = {found->rows, found->columns};
  const auto make = [&]<class Real>(Real) -> nb::object {
    auto* const data = reinterpret_cast<Real*>(found->memory.get());
    if (!found->place.starts_with("cuda:"))
      return nb::cast(nb::ndarray<nb::numpy, Real>(data, 2, shape, owner));
    const int number = std::stoi(found->place.substr(5));
    return nb::cast(nb::ndarray<Real, nb::device::cuda>(
        data, 2, shape, owner, nullptr, nb::dtype<Real>(), nb::device::cuda::value, number));
  };
  return proba ? make(double{}) : make(float{});
}

}  // namespace

void bind_device_arrays(nb::module_& module) {
  nb::class_<DeviceArrayView>(module, "DeviceArray", "An array in the memory of a device.")
      .def(nb::init<std::uintptr_t, std::pair<std::size_t, std::size_t>,
                    std::pair<std::ptrdiff_t, std::ptrdiff_t>, const std::string&,
                    const nb::object&, const std::string&>(),
           "pointer"_a, "shape"_a, "strides"_a, "type"_a, "owner"_a, "device"_a)
      .def("add_to", &DeviceArrayView::add_to, "table"_a, "names"_a)
      .def("holds_infinity", &DeviceArrayView::holds_infinity,
           nb::call_guard<nb::gil_scoped_release>())
      .def("to_host", &DeviceArrayView::to_host);
  module.def("dlpack_parts", &dlpack_parts, "array"_a,
             "Pointer, shape, strides and type of an array on a GPU.");
  module.def(
      "on_device",
      [](const Model& model, const std::string& device) {
        return unlocked([&] { return on_device(model, device); });
      },
      "model"_a, "device"_a, "The same model, predicting on a device.");
  module.def("predict_there", &predict_there, "model"_a, "table"_a, "proba"_a, "threads"_a = 0);
}

}  // namespace simplexboost::python
