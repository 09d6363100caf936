// The values of a forest's leaves, in single precision or in half of it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "simplexboost/export.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

// bfloat16 is the upper half of a float: its range, and eight bits of precision. That is enough
// where training sees the rounded values too, so that later trees mend what rounding did; the
// values of wide trees are most of a model, and of the memory that training takes beside scores.
enum class LeafPrecision : std::uint8_t { kFloat32, kBfloat16 };

inline float widen(float value) { return value; }
inline float widen(std::uint16_t value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}

// The nearest bfloat16, of two the even one; infinite beyond the range.
inline std::uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

// The nearest number of that precision.
inline float round_to(LeafPrecision precision, float value) {
  return precision == LeafPrecision::kBfloat16 ? widen(to_bfloat16(value)) : value;
}

class SIMPLEXBOOST_API LeafValues {
 public:
  explicit LeafValues(LeafPrecision precision) : precision_(precision) {}
  LeafValues(std::initializer_list<float> values = {}) : floats_(values) {}
  explicit LeafValues(std::vector<float> values) : floats_(std::move(values)) {}
  explicit LeafValues(std::vector<std::uint16_t> values)
      : precision_(LeafPrecision::kBfloat16), shorts_(std::move(values)) {}

  LeafPrecision precision() const { return precision_; }
  std::size_t size() const { return compact() ? shorts_.size() : floats_.size(); }
  float operator[](std::size_t i) const { return compact() ? widen(shorts_[i]) : floats_[i]; }
  std::vector<float> copy(std::size_t begin, std::size_t count) const;

  // These round.
  void set(std::size_t i, float value);
  void append(std::span<const float> values);
  void multiply(double factor);

  void resize(std::size_t size);
  void reserve(std::size_t size);

  // Calls use(array) with the values as they are stored: float or bfloat16 (widen() reads both).
  template <class Use>
  auto visit(const Use& use) const {
    return compact() ? use(shorts_) : use(floats_);
  }

  bool operator==(const LeafValues&) const = default;

 private:
  bool compact() const { return precision_ == LeafPrecision::kBfloat16; }

  LeafPrecision precision_ = LeafPrecision::kFloat32;
  std::vector<float> floats_;          // of kFloat32
  std::vector<std::uint16_t> shorts_;  // of kBfloat16
};

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
