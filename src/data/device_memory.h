// Columns whose values are in the memory of a device. Their owner says so: whoever reads a column
// asks it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data/value_sample.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

struct SampledValue {
  std::uint32_t row;
  double value;
};

// Values of a column that were not known, some of them twice; none: all values that count are
// known.
struct UnseenValues {
  std::vector<double> values;
  bool missing = false;  // whether the column has missing ones
};

// Memory that this process does not read by itself. `weights`: of the rows; empty: all 1.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual std::string place() const = 0;  // "cuda:0"
  // Brings `count` values of `size` bytes here that are `stride` bytes apart there.
  virtual void fetch(void* to, const void* from, std::size_t size, std::ptrdiff_t stride,
                     std::size_t count) const = 0;
  // How many values count, and those that a sampling takes, in the order of the rows.
  virtual std::uint64_t count_values(const Column& column, std::size_t rows,
                                     const std::vector<double>& weights) const = 0;
  virtual std::vector<SampledValue> sample(const Column& column, std::size_t rows,
                                           const std::vector<double>& weights,
                                           const Sampling& sampling) const = 0;
  // `known`: in order. Not all that are unseen are found at once, but all after at most 64 calls
  // that are told of those found before.
  virtual UnseenValues unseen(const Column& column, std::size_t rows,
                              const std::vector<double>& weights,
                              const std::vector<double>& known) const = 0;
  virtual bool holds_infinity(const Column& column, std::size_t rows) const = 0;
  // The bin of each row by thresholds.
  virtual std::vector<std::uint16_t> bins(const Column& column, std::size_t rows,
                                          const std::vector<double>& thresholds,
                                          std::uint32_t missing_bin) const = 0;
};

// The owner of columns in such memory, which keeps it alive and what `held` keeps.
struct DeviceOwner {
  std::shared_ptr<const DeviceMemory> memory;
  std::shared_ptr<const void> held;

  void operator()(const void*) const {}  // a deleter: an owner has no other place for these
};

inline std::shared_ptr<const void> device_owner(const void* data, DeviceOwner owner) {
  return {data, std::move(owner)};
}

// Whose memory the values are; null: this process's. Only dense columns of numbers without `rows`
// lie elsewhere.
inline const DeviceMemory* memory_of(const Column& column) {
  const auto* const owner = column.owner ? std::get_deleter<DeviceOwner>(column.owner) : nullptr;
  return owner ? owner->memory.get() : nullptr;
}

// The rows [begin, end) of such a column in this process's memory.
Column brought_here(const Column& column, std::size_t begin, std::size_t end);

}  // namespace simplexboost
