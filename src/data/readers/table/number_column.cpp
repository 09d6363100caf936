#include "data/readers/table/number_column.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/memory.h"

namespace simplexboost {
namespace {

// Each holds all that those before it hold, to the last bit.
constexpr std::array kWidening{Scalar::kUint8, Scalar::kInt16, Scalar::kFloat32, Scalar::kFloat64};

// Calls use(T()) with the type of the scalar.
template <class Use>
void with_type(Scalar scalar, const Use& use) {
  switch (scalar) {
    // NOLINTNEXTLINE(bugprone-branch-clone): the types differ
    case Scalar::kUint8: return use(std::uint8_t());
    case Scalar::kInt16: return use(std::int16_t());
    case Scalar::kFloat32: return use(float());
    default: return use(double());
  }
}

// Whether a type holds all of the numbers to the last bit; NaN, as missing values are, in float.
template <class T>
bool holds(const double* numbers, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const double number = numbers[i];
    if (std::is_floating_point_v<T> && std::isnan(number)) continue;
    // Other numbers cannot be turned into a T at all.
    if (!(number >= std::numeric_limits<T>::lowest() && number <= std::numeric_limits<T>::max()))
      return false;
    const auto back = static_cast<double>(static_cast<T>(number));
    if (std::bit_cast<std::uint64_t>(back) != std::bit_cast<std::uint64_t>(number)) return false;
  }
  return true;
}

// The narrowest type for the numbers that is no narrower than `least`.
Scalar type_for(const double* numbers, std::size_t count, Scalar least) {
  const auto* scalar = std::find(kWidening.begin(), kWidening.end(), least);
  for (; *scalar != kWidening.back(); ++scalar) {
    bool all = false;
    with_type(*scalar, [&](auto type) { all = holds<decltype(type)>(numbers, count); });
    if (all) break;
  }
  return *scalar;
}

template <class From>
void convert(const From* from, std::size_t count, Scalar scalar, std::byte* to) {
  with_type(scalar, [&](auto type) {
    using To = decltype(type);
    std::transform(from, from + count, reinterpret_cast<To*>(to),
                   [](From number) { return static_cast<To>(number); });
  });
}

}  // namespace

std::size_t size_of(Scalar scalar) {
  switch (scalar) {
    case Scalar::kInt8:
    case Scalar::kUint8: return 1;
    case Scalar::kInt16:
    case Scalar::kUint16: return 2;
    case Scalar::kFloat32:
    case Scalar::kInt32:
    case Scalar::kUint32: return 4;
    default: return 8;
  }
}

void NumberColumn::set(std::size_t first, const double* numbers, std::size_t count) {
  const Scalar scalar = type_for(numbers, count, scalar_);
  if (!values_ || scalar != scalar_) {
    require_memory("a column of numbers", rows_, 1, size_of(scalar));
    std::shared_ptr<std::byte[]> wider(new std::byte[rows_ * size_of(scalar)]());
    if (values_)
      with_type(scalar_, [&](auto type) {
        convert(reinterpret_cast<const decltype(type)*>(values_.get()), rows_, scalar, wider.get());
      });
    values_ = std::move(wider);
    scalar_ = scalar;
  }
  convert(numbers, count, scalar, values_.get() + first * size_of(scalar));
}

std::vector<double> NumberColumn::numbers() const {
  std::vector<double> all;
  with_type(scalar_, [&](auto type) {
    const auto* const values = reinterpret_cast<const decltype(type)*>(values_.get());
    all.assign(values, values + rows_);
  });
  return all;
}

std::size_t NumberColumn::known() const {
  std::size_t count = rows_;
  with_type(scalar_, [&](auto type) {
    using T = decltype(type);
    const auto* const values = reinterpret_cast<const T*>(values_.get());
    if constexpr (std::is_floating_point_v<T>)
      count = static_cast<std::size_t>(
          std::count_if(values, values + rows_, [](T value) { return !std::isnan(value); }));
  });
  return count;
}

Column NumberColumn::take(const FeatureSchema& schema) {
  Column column;
  column.schema = schema;
  column.scalar = scalar_;
  column.data = values_.get();
  column.stride = static_cast<std::ptrdiff_t>(size_of(scalar_));
  column.owner = std::move(values_);
  return column;
}

}  // namespace simplexboost
