// From real numbers to the integers that histograms sum (RowStats), and the scores of rows with
// their errors (ScoreBoard), on a device.
#pragma once

#include "cuda/kernel.h"
#include "cuda/kernels/loss_kernels.h"
#include "loss/finite_margin.h"
#include "tree/kernels/kernels.h"
#include "tree/kernels/rounding.h"

namespace simplexboost {

// Rows whose sums are taken together, one after the other (RowSpace::kBlock).
inline constexpr unsigned kSumBlock = 1024;

// The sums of |value| over the rows of a block, for each channel: in the order of the rows, and of
// one channel in eight parts, as RowStats has them.
struct SumAbsolute {
  static constexpr const char* kName = "sum absolute";
  static constexpr unsigned kThreads = 256;
  static constexpr unsigned kTile = 8192;  // numbers that are read together
  using Local = NoLocal;
  const float* values;  // rows x width
  std::size_t rows;
  std::uint32_t width;
  float* sums;  // blocks x width

  LANES_INLINE std::uint32_t tile_rows() const { return width < kTile ? kTile / width : 1; }
  LANES_INLINE std::size_t shared_bytes() const {
    return (std::size_t{width} > kTile ? 0 : kTile) * sizeof(float);
  }
  LANES_INLINE unsigned phases() const {
    return width == 1 ? 3 : 2 * ((kSumBlock + tile_rows() - 1) / tile_rows());
  }
  LANES_INLINE void operator()(unsigned phase, const KernelThread& self, void* memory,
                               Local&) const {
    auto* const tile = static_cast<float*>(memory);
    const std::size_t first = self.block * kSumBlock;
    const std::size_t left = rows - first;
    const auto count = static_cast<std::uint32_t>(left < kSumBlock ? left : kSumBlock);
    if (width == 1) return sum_one(phase, self, first, count, tile);
    const std::uint32_t begin = phase / 2 * tile_rows();
    if (begin >= count) return;
    const std::uint32_t some = count - begin < tile_rows() ? count - begin : tile_rows();
    const float* const from = values + (first + begin) * width;
    const bool staged = width <= kTile;
    if (phase % 2 == 0) {
      for (std::uint32_t i = self.thread; staged && i < some * width; i += kThreads)
        tile[i] = from[i];
      return;
    }
    const float* const read = staged ? tile : from;
    for (std::uint32_t c = self.thread; c < width; c += kThreads) {
      float* const out = sums + self.block * width + c;
      float sum = begin == 0 ? 0 : *out;
      for (std::uint32_t i = 0; i < some; ++i)
        sum += plain::absolute(read[std::size_t{i} * width + c]);
      *out = sum;
    }
  }

 private:
  LANES_INLINE void sum_one(unsigned phase, const KernelThread& self, std::size_t first,
                            std::uint32_t count, float* tile) const {
    float* const parts = tile + kSumBlock;
    if (phase == 0) {
      for (std::uint32_t i = self.thread; i < count; i += kThreads) tile[i] = values[first + i];
    } else if (phase == 1 && self.thread < 8) {
      float sum = 0;
      for (std::uint32_t i = self.thread; i < count / 8 * 8; i += 8)
        sum += plain::absolute(tile[i]);
      for (std::uint32_t i = count / 8 * 8; self.thread == 0 && i < count; ++i)
        sum += plain::absolute(tile[i]);
      parts[self.thread] = sum;
    } else if (phase == 2 && self.thread == 0) {
      float sum = 0;
      for (unsigned j = 0; j < 8; ++j) sum += parts[j];
      sums[self.block] = sum;
    }
  }
};

// The sums of blocks, one after the other in double precision.
struct AddBlocks {
  static constexpr const char* kName = "add blocks";
  static constexpr unsigned kThreads = 32;
  using Local = NoLocal;
  const float* parts;  // blocks x width
  std::size_t blocks;
  std::uint32_t width;
  double* totals;

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t c = self.block * kThreads + self.thread;
    if (c >= width) return;
    // Loads come many at a time: the additions have to wait for each other, they need not.
    constexpr unsigned kAhead = 16;
    double total = 0;
    std::size_t b = 0;
    for (; b + kAhead <= blocks; b += kAhead) {
      float found[kAhead];
      for (unsigned i = 0; i < kAhead; ++i) found[i] = parts[(b + i) * width + c];
      for (const float part : found) total += static_cast<double>(part);
    }
    for (; b < blocks; ++b) total += static_cast<double>(parts[b * width + c]);
    totals[c] = total;
  }
};

// The statistics vectors of rows: [1, weight, pulls, 0].
struct Quantise {
  static constexpr const char* kName = "quantise";
  static constexpr unsigned kThreads = 256;
  using Local = NoLocal;
  const float* pulls;  // rows x width
  const float* weights;
  std::size_t rows;
  std::uint32_t width;
  std::uint32_t channels;
  float pull_scale;
  float weight_scale;
  std::int32_t* stats;

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t i = self.block * kThreads + self.thread;
    const std::size_t row = i / channels;
    if (row >= rows) return;
    const auto c = static_cast<std::uint32_t>(i % channels);
    std::int32_t value = c == kCountChannel ? 1 : 0;
    if (c == kWeightChannel) value = rounded(weights[row], weight_scale);
    if (c >= kPullChannel && c < kPullChannel + width)
      value = rounded(pulls[row * width + c - kPullChannel], pull_scale);
    stats[i] = value;
  }

 private:
  static LANES_INLINE std::int32_t rounded(float value, float scale) {
    return static_cast<std::int32_t>(plain::before_rounding(value, scale));
  }
};

// Adds to each row's scores what its leaf says.
struct MoveScores {
  static constexpr const char* kName = "move scores";
  static constexpr unsigned kThreads = 256;
  using Local = NoLocal;
  const std::uint32_t* leaf_of_row;
  const float* values;  // leaves x outputs
  std::size_t rows;
  std::uint32_t outputs;
  float* scores;  // rows x outputs

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t i = self.block * kThreads + self.thread;
    if (i >= rows * outputs) return;
    scores[i] += values[std::size_t{leaf_of_row[i / outputs]} * outputs + i % outputs];
  }
};

// Gives all rows the same scores.
struct FillScores {
  static constexpr const char* kName = "fill scores";
  static constexpr unsigned kThreads = 256;
  static constexpr unsigned kRows = 64;  // of a block
  using Local = NoLocal;
  const float* values;  // of the classes
  std::size_t rows;
  std::uint32_t classes;
  float* scores;

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t first = self.block * kRows;
    const auto some = static_cast<std::uint32_t>(rows - first < kRows ? rows - first : kRows);
    for (std::uint32_t i = self.thread; i < some * classes; i += kThreads)
      scores[first * classes + i] = values[i % classes];
  }
};

// The score of each row's class less the highest of the others (loss/margin.h).
struct FindMargins {
  static constexpr const char* kName = "find margins";
  static constexpr unsigned kThreads = kRowLanes * kRowsOfBlock;
  using Local = NoLocal;
  const float* scores;
  const std::int32_t* labels;
  std::size_t rows;
  std::uint32_t classes;
  float* margins;

  LANES_INLINE std::size_t shared_bytes() const { return kThreads * sizeof(float); }
  LANES_INLINE unsigned phases() const { return 2; }
  LANES_INLINE void operator()(unsigned phase, const KernelThread& self, void* memory,
                               Local&) const {
    auto* const rivals = static_cast<float*>(memory);
    const unsigned lane = self.thread % kRowLanes;
    const std::size_t row = self.block * kRowsOfBlock + self.thread / kRowLanes;
    if (row >= rows) return;
    const auto label = static_cast<std::uint32_t>(labels[row]);
    const float* const own = scores + row * classes;
    if (phase == 0) {
      float rival = -plain::kInfinity;
      for (std::uint32_t k = lane; k < classes; k += kRowLanes)
        if (k != label) rival = plain::maximum(rival, own[k]);
      rivals[self.thread] = rival;
    } else if (lane == 0) {
      margins[row] = finite_margin(own[label], largest_of(rivals + self.thread, kRowLanes));
    }
  }
};

// The probability of each row's class by the soft maximum of scale times its scores, as
// probability() of the link has it: terms of single precision, and their sum in the order of the
// classes.
struct TrueProbabilities {
  static constexpr const char* kName = "true probabilities";
  static constexpr unsigned kThreads = kRowLanes * kRowsOfBlock;
  using Local = NoLocal;
  const float* scores;  // rows x classes
  const std::int32_t* labels;
  std::size_t rows;
  std::uint32_t classes;
  float scale;
  double* probabilities;

  LANES_INLINE std::size_t shared_bytes() const {
    return sizeof(float) * kRowsOfBlock * (kRowLanes + kTile);
  }
  // A tile of the classes of each row is computed by all its threads, and added up by one.
  LANES_INLINE unsigned phases() const { return 1 + 2 * ((classes + kTile - 1) / kTile); }
  LANES_INLINE void operator()(unsigned phase, const KernelThread& self, void* memory,
                               Local&) const {
    const unsigned place = self.thread / kRowLanes;
    const unsigned lane = self.thread % kRowLanes;
    const std::size_t row = self.block * kRowsOfBlock + place;
    const unsigned first = place * (kRowLanes + kTile);
    auto* const tops = static_cast<float*>(memory) + first;
    float* const terms = tops + kRowLanes;
    if (row >= rows) return;
    const float* const own = scores + row * classes;
    if (phase == 0) {
      float most = -plain::kInfinity;
      for (std::uint32_t k = lane; k < classes; k += kRowLanes) most = plain::maximum(most, own[k]);
      tops[lane] = most;
      if (lane == 0) probabilities[row] = 0;
      return;
    }
    const std::uint32_t begin = (phase - 1) / 2 * kTile;
    const std::uint32_t end = begin + kTile < classes ? begin + kTile : classes;
    if (phase % 2 == 1) {
      const float top = largest_of(tops, kRowLanes);
      for (std::uint32_t k = begin + lane; k < end; k += kRowLanes)
        terms[k - begin] = term(own[k], top);
    } else if (lane == 0) {
      double sum = probabilities[row];
      for (std::uint32_t k = begin; k < end; ++k) sum += static_cast<double>(terms[k - begin]);
      if (end == classes) {
        const float top = largest_of(tops, kRowLanes);
        sum = labels[row] < 0 ? 0.0 : static_cast<double>(term(own[labels[row]], top)) / sum;
      }
      probabilities[row] = sum;
    }
  }

 private:
  static constexpr unsigned kTile = 64;

  LANES_INLINE float term(float score, float top) const {
    return plain::exp_of(scale * (score - top));
  }
};

// Adds to each row's scores what its leaf says, if any; finds the rows whose class has not the
// highest score then (loss/beaten_rows.h), and how many they are.
struct AddScores {
  static constexpr const char* kName = "add scores";
  static constexpr unsigned kThreads = kRowLanes * kRowsOfBlock;
  const std::uint32_t* leaf_of_row;  // null: nothing is added
  const float* values;               // leaves x classes
  const std::int32_t* labels;
  std::size_t rows;
  std::uint32_t classes;
  float* scores;
  std::uint8_t* beaten;
  std::int64_t* count;

  struct Local {
    float own;  // of the row's class
  };

  LANES_INLINE std::size_t shared_bytes() const { return kThreads; }
  LANES_INLINE unsigned phases() const { return 4; }
  LANES_INLINE void operator()(unsigned phase, const KernelThread& self, void* memory,
                               Local& local) const {
    auto* const flags = static_cast<std::uint8_t*>(memory);
    const unsigned lane = self.thread % kRowLanes;
    const std::size_t row = self.block * kRowsOfBlock + self.thread / kRowLanes;
    if (phase == 0 && row < rows) {
      // A class that is not known is beaten always.
      local.own =
          labels[row] < 0 ? -plain::kInfinity : moved(row, static_cast<std::uint32_t>(labels[row]));
    } else if (phase == 1) {
      flags[self.thread] = row < rows && add_lane(row, lane, local.own) ? 1 : 0;
    } else if (phase == 2 && lane == 0) {
      std::uint8_t any = 0;
      for (unsigned i = 0; i < kRowLanes; ++i) any |= flags[self.thread + i];
      flags[self.thread] = any;
      if (row < rows) beaten[row] = any;
    } else if (phase == 3 && self.thread == 0) {
      std::int64_t some = 0;
      for (unsigned i = 0; i < kThreads; i += kRowLanes) some += flags[i];
      if (some > 0) atomic_add(count, some);
    }
  }

 private:
  LANES_INLINE float moved(std::size_t row, std::uint32_t k) const {
    const float score = scores[row * classes + k];
    return leaf_of_row ? score + values[std::size_t{leaf_of_row[row]} * classes + k] : score;
  }

  // Whether a class of the lane beats the row's own.
  LANES_INLINE bool add_lane(std::size_t row, unsigned lane, float own) const {
    const auto label = static_cast<std::uint32_t>(labels[row]);
    bool better = false;
    for (std::uint32_t k = lane; k < classes; k += kRowLanes) {
      const float score = moved(row, k);
      if (leaf_of_row) scores[row * classes + k] = score;
      better = better || score > own || (score == own && k < label) || labels[row] < 0;
    }
    return better;
  }
};

// The weights of such rows, block by block.
struct SumBeaten {
  static constexpr const char* kName = "sum beaten";
  static constexpr unsigned kThreads = 32;
  using Local = NoLocal;
  const std::uint8_t* beaten;
  const double* weights;
  std::size_t rows;
  double* sums;

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t block = self.block * kThreads + self.thread;
    if (block * kSumBlock >= rows) return;
    const std::size_t end = (block + 1) * kSumBlock < rows ? (block + 1) * kSumBlock : rows;
    double sum = 0;
    for (std::size_t i = block * kSumBlock; i < end; ++i) sum += beaten[i] != 0 ? weights[i] : 0;
    sums[block] = sum;
  }
};

}  // namespace simplexboost
