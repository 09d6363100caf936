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
  std::uint32_t depth;  // bins of the feature that has most
  bool fits;            // into the shared memory
  bool by_fours;        // bytes that follow each other, and may be read four at a time
};

inline constexpr unsigned kSliceChannels = 8;  // at most
inline constexpr unsigned kGroupFeatures = 8;  // likewise
inline constexpr unsigned kAbreast = 4;        // features whose sums lie side by side

// In shared memory a bin of four features is one piece of all banks, or of half of them. Features
// beyond these follow behind; one that is alone takes no more than it needs.
LANES_INLINE constexpr std::size_t group_words(std::size_t features, std::size_t depth,
                                               std::uint32_t lanes) {
  return features == 1 ? depth * lanes
                       : (features + kAbreast - 1) / kAbreast * depth * kAbreast * lanes;
}

// A byte of a word.
LANES_INLINE std::uint32_t byte_of(std::uint32_t word, std::uint32_t number) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(word, 0, 0x4440U + number);
#else
  return word >> (8 * number) & 0xffU;
#endif
}

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

// Adds the rows of tasks to the histograms of their nodes, which are zero at first. A thread has
// one channel of a row; the threads of a warp that have different rows are at different features at
// any time, so that, of eight channels, no two of them want the same bank of the shared memory.
template <class Bin>
struct FillHistograms {
  static constexpr const char* kName = "fill histograms";
  static constexpr unsigned kThreads = 384;
  using Local = NoLocal;
  const Bin* bins;
  const std::uint32_t* rows;
  const RowTask* tasks;  // of: the place of the node's histogram
  const std::int32_t* stats;
  std::uint32_t channels;
  std::uint32_t lanes;  // channels of a slice: 4 or 8
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
    auto* const sums = static_cast<std::int32_t*>(memory);
    if (phase == 0) {
      const auto words = static_cast<std::uint32_t>(group_words(group.count, group.depth, lanes));
      for (std::uint32_t i = self.thread; group.fits && i < words; i += kThreads) sums[i] = 0;
      return;
    }
    const RowTask task = tasks[part];
    const std::uint32_t channel = rest % slices * lanes;
    std::int32_t* const out =
        histograms + task.of * numbers + std::size_t{group.first_bin} * channels + channel;
    if (phase == 2) {
      if (group.fits) bring_out(group, self.thread, sums, out);
    } else if (!group.fits) {
      add_one_by_one(group, task, channel, self.thread, out, channels);
    } else if (!group.by_fours) {
      add_one_by_one(group, task, channel, self.thread, sums, 0);
    } else if (lanes == kSliceChannels) {
      add_fours<kSliceChannels>(group, task, channel, self.thread, sums);
    } else {
      add_fours<kSliceChannels / 2>(group, task, channel, self.thread, sums);
    }
  }

 private:
  // Rows that are read before the first of them is added: loads take long, and need not wait for
  // each other.
  static constexpr unsigned kAhead = 4;

  // Where the sums of a feature begin in shared memory, and the words from bin to bin.
  LANES_INLINE std::uint32_t place_of(const FeatureGroup& group, std::uint32_t f) const {
    return f / kAbreast * group.depth * kAbreast * lanes + f % kAbreast * lanes;
  }
  LANES_INLINE std::uint32_t pitch_of(const FeatureGroup& group) const {
    return group.count == 1 ? lanes : kAbreast * lanes;
  }

  // From the shared memory to the histogram of the node.
  LANES_INLINE void bring_out(const FeatureGroup& group, unsigned thread, const std::int32_t* sums,
                              std::int32_t* out) const {
    const HistogramFeature* const own = features + group.first;
    const std::uint32_t pitch = pitch_of(group);
    const unsigned abreast = group.count == 1 ? 1 : kAbreast;
    for (std::uint32_t f = thread / lanes % abreast; f < group.count; f += abreast) {
      const std::uint32_t count = own[f].value_bins + (own[f].has_missing ? 1 : 0);
      const std::int32_t* const from = sums + place_of(group, f) + thread % lanes;
      std::int32_t* const to =
          out + std::size_t{own[f].first_bin - group.first_bin} * channels + thread % lanes;
      for (std::uint32_t bin = thread / pitch; bin < count; bin += kThreads / pitch) {
        const std::uint32_t place = bin * pitch;
        if (from[place] != 0) atomic_add(to + std::size_t{bin} * channels, from[place]);
      }
    }
  }

  // One value to the bins of the four features of a word.
  template <unsigned kLanes>
  LANES_INLINE void add_word(std::uint32_t word, const unsigned (&turn)[kAbreast], unsigned thread,
                             std::int32_t value, std::int32_t* sums) const {
    for (const unsigned feature : turn) {
      const std::uint32_t cell = byte_of(word, feature) * kAbreast + feature;
      const std::uint32_t place = cell * kLanes + thread % kLanes;
      atomic_add(sums + place, value);
    }
  }

  // Four or eight features whose bins are read as words.
  template <unsigned kLanes>
  LANES_INLINE void add_fours(const FeatureGroup& group, const RowTask& task, std::uint32_t channel,
                              unsigned thread, std::int32_t* sums) const {
    constexpr std::uint32_t kAtOnce = kThreads / kLanes;
    const BinColumn column = features[group.first].column;
    const bool two = group.count > kAbreast;
    std::int32_t* const second = sums + (two ? group.depth * kAbreast * kLanes : 0);
    unsigned turn[kAbreast];  // the order that this thread takes the features of a word in
    for (unsigned j = 0; j < kAbreast; ++j) turn[j] = (thread / kLanes + j) % kAbreast;
    std::uint32_t next[kAhead];
    std::uint32_t i = task.begin + thread / kLanes;
    number_rows(task, i, kAtOnce, next);
    while (i < task.end) {
      std::int32_t value[kAhead];
      std::uint32_t words[kAhead][2];
      for (unsigned a = 0; a < kAhead; ++a) {
        const std::uint64_t row = next[a];
        value[a] =
            i + a * kAtOnce < task.end ? stats[row * channels + channel + thread % kLanes] : 0;
        const Bin* const place = bins + column.first + row * column.stride;
        words[a][0] = load_four(place);
        words[a][1] = load_four(place + (two ? kAbreast : 0));
      }
      i += kAhead * kAtOnce;
      number_rows(task, i, kAtOnce, next);
      for (unsigned a = 0; a < kAhead; ++a) {
        add_word<kLanes>(words[a][0], turn, thread, value[a], sums);
        if (two) add_word<kLanes>(words[a][1], turn, thread, value[a], second);
      }
    }
  }

  // The numbers of the rows from `at` on, 0 behind the last.
  LANES_INLINE void number_rows(const RowTask& task, std::uint32_t at, std::uint32_t step,
                                std::uint32_t* found) const {
    for (unsigned a = 0; a < kAhead; ++a, at += step) found[a] = at < task.end ? rows[at] : 0;
  }

  // Features that lie anywhere. `stride`: from bin to bin of `to`, where that is not the shared
  // memory; who has no room there is alone.
  LANES_INLINE void add_one_by_one(const FeatureGroup& group, const RowTask& task,
                                   std::uint32_t channel, unsigned thread, std::int32_t* to,
                                   std::uint32_t stride) const {
    const std::uint32_t pitch = stride > 0 ? stride : pitch_of(group);
    to += thread % lanes;
    for (std::uint32_t i = task.begin + thread / lanes; i < task.end; i += kThreads / lanes) {
      const std::uint64_t row = rows[i];
      const std::int32_t value = stats[row * channels + channel + thread % lanes];
      if (value == 0) continue;
      for (std::uint32_t f = 0; f < group.count; ++f) {
        const BinColumn column = features[group.first + f].column;
        const std::uint32_t bin = bins[column.first + row * column.stride];
        atomic_add(to + place_of(group, f) + std::size_t{bin} * pitch, value);
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
