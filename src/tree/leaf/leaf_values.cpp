#include "simplexboost/leaf_values.h"

#include <algorithm>
#include <iterator>

namespace simplexboost {

std::vector<float> LeafValues::copy(std::size_t begin, std::size_t count) const {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = (*this)[begin + i];
  return values;
}

void LeafValues::set(std::size_t i, float value) {
  if (compact())
    shorts_[i] = to_bfloat16(value);
  else
    floats_[i] = value;
}

void LeafValues::append(std::span<const float> values) {
  if (compact())
    std::transform(values.begin(), values.end(), std::back_inserter(shorts_), to_bfloat16);
  else
    floats_.insert(floats_.end(), values.begin(), values.end());
}

void LeafValues::multiply(double factor) {
  for (std::size_t i = 0; i < size(); ++i)
    set(i, static_cast<float>(static_cast<double>((*this)[i]) * factor));
}

void LeafValues::resize(std::size_t size) {
  if (compact())
    shorts_.resize(size);
  else
    floats_.resize(size);
}

void LeafValues::reserve(std::size_t size) {
  if (compact())
    shorts_.reserve(size);
  else
    floats_.reserve(size);
}

}  // namespace simplexboost
