// Histograms on a device: integers, so that atomic additions give the same in any order. The
// channels are taken in slices of a few, so that those of several features fit into the memory that
// a block of threads shares.
#pragma once

#include "cuda/kernel.h"
#include "cuda/kernels/partition_kernels.h"

namespace simplexboost {

// Of a feature that is looked at.
struct HistogramFeature {
  BinColumn column;
  std::uint32_t first_bin;   // in a whole histogram
  std::uint32_t value_bins;  // without the missing one, which follows
  bool has_missing;
  bool numeric;
};

// Features whose histograms are filled together.
struct FeatureGroup {
  std::uint32_t first;  // of the features that are looked at
  std::uint32_t count;
  std::uint32_t first_bin;
  std::uint32_t bins;
  bool fits;      // into the shared memory
  bool by_fours;  // bytes that follow each other, and may be read four at a time
};

inline constexpr unsigned kSliceChannels = 8;  // at most
inline constexpr unsigned kGroupFeatures = 8;  // likewise

// Sets histograms to zero.
struct ClearHistograms {
  static constexpr const char* kName = "clear histograms";
  static constexpr unsigned kThreads = 256;
  static constexpr unsigned kNumbers = 4096;  // of a block
  using Local = NoLocal;
  const std::uint32_t* places;
  std::int32_t* histograms;
  std::size_t numbers;

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t parts = (numbers + kNumbers - 1) / kNumbers;
    std::int32_t* const histogram = histograms + places[self.block / parts] * numbers;
    const std::size_t first = self.block % parts * kNumbers;
    const std::size_t last = first + kNumbers < numbers ? first + kNumbers : numbers;
    for (std::size_t i = first + self.thread; i < last; i += kThreads) histogram[i] = 0;
  }
};

// Adds the rows of tasks to the histograms of their nodes, which are zero at first.
template <class Bin>
struct FillHistograms {
  static constexpr const char* kName = "fill histograms";
  static constexpr unsigned kThreads = 512;
  using Local = NoLocal;
  const Bin* bins;
  const std::uint32_t* rows;
  const RowTask* tasks;  // of: the place of the node's histogram
  const std::int32_t* stats;
  std::uint32_t channels;
  std::uint32_t lanes;  // channels of a slice
  const HistogramFeature* features;
  const FeatureGroup* groups;
  std::uint32_t group_count;
  std::size_t shared;  // bytes, for the largest group that fits
  std::int32_t* histograms;
  std::size_t numbers;  // of a histogram

  LANES_INLINE std::size_t shared_bytes() const { return shared; }
  LANES_INLINE unsigned phases() const { return 3; }
  LANES_INLINE void operator()(unsigned phase, const KernelThread& self, void* memory,
                               Local&) const {
    const std::uint32_t slices = channels / lanes;
    const std::size_t part = self.block / (std::size_t{group_count} * slices);
    const auto rest = static_cast<std::uint32_t>(self.block % (std::size_t{group_count} * slices));
    const FeatureGroup group = groups[rest / slices];
    const std::uint32_t channel = rest % slices * lanes;
    auto* const sums = static_cast<std::int32_t*>(memory);
    const std::uint32_t size = group.fits ? group.bins * lanes : 0;
    if (phase == 0) {
      for (std::uint32_t i = self.thread; i < size; i += kThreads) sums[i] = 0;
      return;
    }
    const RowTask task = tasks[part];
    std::int32_t* const out =
        histograms + task.of * numbers + std::size_t{group.first_bin} * channels + channel;
    if (phase == 1) {
      if (group.fits) {
        add_rows(group, task, channel, self.thread, sums, lanes);
      } else {
        add_rows(group, task, channel, self.thread, out, channels);
      }
      return;
    }
    for (std::uint32_t i = self.thread; i < size; i += kThreads)
      if (sums[i] != 0) atomic_add(out + std::size_t{i / lanes} * channels + i % lanes, sums[i]);
  }

 private:
  // Rows that are read before the first of them is added: loads take long, and need not wait for
  // each other.
  static constexpr unsigned kAhead = 4;

  // `stride`: from bin to bin of `to`.
  LANES_INLINE void add_rows(const FeatureGroup& group, const RowTask& task, std::uint32_t channel,
                             unsigned thread, std::int32_t* to, std::uint32_t stride) const {
    const std::uint32_t at_once = kThreads / lanes;
    const HistogramFeature* const own = features + group.first;
    std::uint32_t first[kGroupFeatures];
    for (unsigned f = 0; f < kGroupFeatures; ++f)
      first[f] = f < group.count ? own[f].first_bin - group.first_bin : 0;
    to += thread % lanes;
    for (std::uint32_t i = task.begin + thread / lanes; i < task.end; i += kAhead * at_once) {
      std::uint64_t row[kAhead];
      std::int32_t value[kAhead];
      std::uint32_t fours[kAhead][2];
      for (unsigned a = 0; a < kAhead; ++a) {
        const std::uint32_t at = i + a * at_once;
        row[a] = at < task.end ? rows[at] : 0;
        value[a] = at < task.end ? stats[row[a] * channels + channel + thread % lanes] : 0;
        if (!group.by_fours) continue;
        const Bin* const place = bins + own[0].column.first + row[a] * own[0].column.stride;
        fours[a][0] = load_four(place);
        fours[a][1] = load_four(place + (group.count > 4 ? 4 : 0));
      }
      for (unsigned a = 0; a < kAhead; ++a) {
        if (value[a] == 0) continue;
        for (unsigned f = 0; f < kGroupFeatures; ++f) {
          if (f >= group.count) continue;
          const std::uint32_t bin = group.by_fours
                                        ? fours[a][f / 4] >> (8 * (f % 4)) & 0xff
                                        : bins[own[f].column.first + row[a] * own[f].column.stride];
          atomic_add(to + std::size_t{first[f] + bin} * stride, value[a]);
        }
      }
    }
  }

  static LANES_INLINE std::uint32_t load_four(const Bin* place) {
    std::uint32_t four = 0;
    __builtin_memcpy(&four, __builtin_assume_aligned(place, 4), sizeof four);
    return four;
  }
};

// Replaces the sums of each value of a feature by those of the values up to it. Differences of such
// histograms are such histograms; and what is left of a cut is there to be read.
struct RunningSums {
  static constexpr const char* kName = "running sums";
  static constexpr unsigned kThreads = 128;
  using Local = NoLocal;
  const HistogramFeature* features;
  std::uint32_t feature_count;
  std::uint32_t channels;
  const std::uint32_t* places;  // of the histograms
  std::int32_t* histograms;
  std::size_t numbers;

  LANES_INLINE std::size_t shared_bytes() const { return kThreads * sizeof(std::int32_t); }
  LANES_INLINE unsigned phases() const { return 2; }
  LANES_INLINE void operator()(unsigned phase, const KernelThread& self, void* shared,
                               Local&) const {
    auto* const sums = static_cast<std::int32_t*>(shared);  // of the values of a thread
    const HistogramFeature& feature = features[self.block % feature_count];
    std::int32_t* const histogram = histograms + places[self.block / feature_count] * numbers +
                                    std::size_t{feature.first_bin} * channels;
    const std::uint32_t lanes = channels < kThreads ? channels : kThreads;
    const std::uint32_t parts = kThreads / lanes;  // of the values
    const std::uint32_t part = self.thread / lanes;
    if (part >= parts) return;
    const std::uint32_t each = (feature.value_bins + parts - 1) / parts;
    const std::uint32_t begin = part * each < feature.value_bins ? part * each : feature.value_bins;
    const std::uint32_t end = begin + each < feature.value_bins ? begin + each : feature.value_bins;
    const std::uint32_t lane = self.thread % lanes;
    if (phase == 0) {
      std::int32_t sum = 0;
      if (parts > 1)
        for (std::uint32_t b = begin; b < end; ++b)
          sum += histogram[std::size_t{b} * channels + lane];
      sums[self.thread] = sum;
      return;
    }
    for (std::uint32_t c = lane; c < channels; c += lanes) {
      std::int32_t sum = 0;
      for (std::uint32_t p = 0; p < part; ++p) sum += sums[p * lanes + lane];
      for (std::uint32_t b = begin; b < end; ++b)
        histogram[std::size_t{b} * channels + c] = sum += histogram[std::size_t{b} * channels + c];
    }
  }
};

// Takes that of one child from that of its parent: the other child's.
struct SubtractHistograms {
  static constexpr const char* kName = "subtract histograms";
  static constexpr unsigned kThreads = 256;
  static constexpr unsigned kNumbers = 1024;  // of a block
  using Local = NoLocal;
  const std::uint32_t* pairs;  // places of parent and child
  std::int32_t* histograms;
  std::size_t numbers;

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t parts = (numbers + kNumbers - 1) / kNumbers;
    const std::size_t pair = self.block / parts;
    std::int32_t* const whole = histograms + pairs[2 * pair] * numbers;
    const std::int32_t* const part = histograms + pairs[2 * pair + 1] * numbers;
    const std::size_t first = self.block % parts * kNumbers;
    const std::size_t last = first + kNumbers < numbers ? first + kNumbers : numbers;
    for (std::size_t i = first + self.thread; i < last; i += kThreads) whole[i] -= part[i];
  }
};

}  // namespace simplexboost
