// Choosing bins of numbers that are on a device, and finding the bin of each: what data/binning.cpp
// does with those of the host.
#pragma once

#include "cuda/kernel.h"
#include "cuda/kernels/device_column.h"
#include "data/value_sample.h"

namespace simplexboost {

inline constexpr unsigned kRowsOfPart = 64;  // that a thread looks at one by one

// How many values of each part of the rows count; and of these how many a sampling takes, where
// `before` says how many count before each part.
struct CountValues {
  static constexpr const char* kName = "count values";
  static constexpr unsigned kThreads = 128;
  using Local = NoLocal;
  DeviceColumn column;
  std::size_t rows;
  const std::uint8_t* counted;
  const std::uint64_t* before;  // null: all values that count
  Sampling sampling;
  std::uint32_t* found;  // of each part

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t part = self.block * kThreads + self.thread;
    const std::size_t begin = part * kRowsOfPart;
    if (begin >= rows) return;
    const std::size_t end = begin + kRowsOfPart < rows ? begin + kRowsOfPart : rows;
    std::uint64_t number = before ? before[part] : 0;
    std::uint32_t some = 0;
    for (std::size_t row = begin; row < end; ++row) {
      if (!counts(column.value(row), counted && counted[row] == 0 ? 0 : 1)) continue;
      if (!before || sampling.takes(number)) ++some;
      ++number;
    }
    found[part] = some;
  }
};

// Writes those that a sampling takes.
struct TakeSample {
  static constexpr const char* kName = "take sample";
  static constexpr unsigned kThreads = 128;
  using Local = NoLocal;
  DeviceColumn column;
  std::size_t rows;
  const std::uint8_t* counted;
  const std::uint64_t* before;  // that count, for each part
  const std::uint64_t* place;   // of the first that is taken of a part
  Sampling sampling;
  std::uint32_t* taken_rows;
  double* taken_values;

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t part = self.block * kThreads + self.thread;
    const std::size_t begin = part * kRowsOfPart;
    if (begin >= rows) return;
    const std::size_t end = begin + kRowsOfPart < rows ? begin + kRowsOfPart : rows;
    std::uint64_t number = before[part];
    std::uint64_t to = place[part];
    for (std::size_t row = begin; row < end; ++row) {
      const double value = column.value(row);
      if (!counts(value, counted && counted[row] == 0 ? 0 : 1)) continue;
      if (sampling.takes(number++)) {
        taken_rows[to] = static_cast<std::uint32_t>(row);
        taken_values[to++] = value;
      }
    }
  }
};

// Which values a column has, found in passes: of each part of the rows one value that counts and is
// not among those that are known. As every pass makes one more value of every part known, there are
// at most as many passes as a part has rows. A part is every `parts`-th row.
struct FindUnseen {
  static constexpr const char* kName = "find unseen";
  static constexpr unsigned kThreads = 128;
  static constexpr std::uint8_t kUnseen = 1;
  static constexpr std::uint8_t kMissing = 2;
  using Local = NoLocal;
  DeviceColumn column;
  std::size_t rows;
  std::size_t parts;
  const std::uint8_t* counted;
  const double* known;  // in order
  std::uint32_t known_count;
  double* values;       // of each part
  std::uint8_t* found;  // likewise: what of the two

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t part = self.block * kThreads + self.thread;
    if (part >= parts) return;
    std::uint8_t seen = 0;
    double unseen = 0;
    for (std::size_t row = part; row < rows; row += parts) {
      const double value = column.value(row);
      if (value != value) seen |= kMissing;
      if ((seen & kUnseen) != 0 || !counts(value, counted && counted[row] == 0 ? 0 : 1)) continue;
      const std::uint32_t below = thresholds_below(known, known_count, value);
      if (below < known_count && known[below] == value) continue;
      seen |= kUnseen;
      unseen = value;
    }
    values[part] = unseen;
    found[part] = seen;
  }
};

// Whether a value is infinite.
struct FindInfinity {
  static constexpr const char* kName = "find infinity";
  static constexpr unsigned kThreads = 256;
  using Local = NoLocal;
  DeviceColumn column;
  std::size_t rows;
  std::int32_t* found;

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t row = self.block * kThreads + self.thread;
    if (row >= rows) return;
    const double value = column.value(row);
    if (value - value != 0 && value == value) atomic_max(found, 1);
  }
};

struct FindBins {
  static constexpr const char* kName = "find bins";
  static constexpr unsigned kThreads = 256;
  using Local = NoLocal;
  DeviceColumn column;
  std::size_t rows;
  const double* thresholds;
  std::uint32_t threshold_count;
  std::uint32_t missing_bin;
  std::uint16_t* bins;

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t row = self.block * kThreads + self.thread;
    if (row >= rows) return;
    const double value = column.value(row);
    bins[row] = static_cast<std::uint16_t>(
        value == value ? thresholds_below(thresholds, threshold_count, value) : missing_bin);
  }
};

}  // namespace simplexboost
