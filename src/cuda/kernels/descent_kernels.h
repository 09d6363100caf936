// What gd-mcboost asks of the pulls of rows (optimizer/gradient_rows.h), on a device.
#pragma once

#include "base/text/shorten.h"
#include "cuda/kernel.h"

namespace simplexboost {

// Times the weight of the row; null: all are 1.
LANES_INLINE float weighed_pull(float pull, const float* weights, std::size_t row) {
  return (weights ? weights[row] : 1.0F) * shorten(pull);
}

// As MarginRisk::weigh().
struct WeighPulls {
  static constexpr const char* kName = "weigh pulls";
  static constexpr unsigned kThreads = 256;
  using Local = NoLocal;
  const float* weights;
  std::size_t rows;
  std::uint32_t width;
  float* pulls;  // rows x width

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t i = self.block * kThreads + self.thread;
    if (i < rows * width) pulls[i] = weighed_pull(pulls[i], weights, i / width);
  }
};

// Two sums over the rows of a block, one after the other.
struct TwoSums {
  double first;
  double second;
};

// Of the slopes of rows and of their sizes, weighted in double precision.
struct SumSlopes {
  static constexpr const char* kName = "sum slopes";
  static constexpr unsigned kThreads = 32;
  using Local = NoLocal;
  const float* slopes;
  const double* weights;  // null: all 1
  std::size_t rows;
  std::size_t block;
  TwoSums* sums;

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t number = self.block * kThreads + self.thread;
    const std::size_t begin = number * block;
    if (begin >= rows) return;
    const std::size_t end = begin + block < rows ? begin + block : rows;
    TwoSums part{0, 0};
    for (std::size_t i = begin; i < end; ++i) {
      const double weighted = (weights ? weights[i] : 1.0) * static_cast<double>(slopes[i]);
      part.first += weighted;
      part.second += weighted < 0 ? -weighted : weighted;
    }
    sums[number] = part;
  }
};

// Of the weighed pulls of the classes that leaves name: where that is the row's own, and elsewhere.
struct SumNamed {
  static constexpr const char* kName = "sum named";
  static constexpr unsigned kThreads = 32;
  using Local = NoLocal;
  const float* pulls;  // rows x classes, not weighed
  const float* weights;
  const std::int32_t* labels;
  const std::uint32_t* leaf_of_row;
  const std::uint32_t* named_by_leaf;
  std::size_t rows;
  std::uint32_t classes;
  std::size_t block;
  TwoSums* sums;

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t number = self.block * kThreads + self.thread;
    const std::size_t begin = number * block;
    if (begin >= rows) return;
    const std::size_t end = begin + block < rows ? begin + block : rows;
    TwoSums part{0, 0};
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t k = named_by_leaf[leaf_of_row[i]];
      const auto pull = static_cast<double>(weighed_pull(pulls[i * classes + k], weights, i));
      const bool is_right = k == static_cast<std::uint32_t>(labels[i]);
      if (is_right)
        part.first += pull;
      else
        part.second += pull;
    }
    sums[number] = part;
  }
};

}  // namespace simplexboost
