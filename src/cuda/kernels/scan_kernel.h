// The best cut of each feature of each node that is looked at, the cuts of a feature side by side:
// the cuts, the criteria and what makes a cut too small are those of tree/split/cuts.h and
// criteria.h.
#pragma once

#include "cuda/kernels/histogram_kernels.h"
#include "tree/kernels/criteria.h"
#include "tree/split/cuts.h"

namespace simplexboost {

// Of a numeric feature.
struct DeviceSplit {
  float score;
  std::uint32_t cut;  // its number, as numeric_cut() counts
  std::uint32_t missing_rows;
};

namespace device_scan {

template <class Score, std::size_t N, std::size_t V>
struct JudgeCut {
  static LANES_INLINE float run(const CriterionSpec& spec, const plain::SumsOfTwo& left,
                                const std::int32_t* total) {
    return Score::of(spec, left, total);
  }
};

LANES_INLINE float judge(const CriterionSpec& spec, const plain::SumsOfTwo& left,
                         const std::int32_t* total) {
  const bool short_vectors = spec.channels == 4 || (diagonal(spec.kind) && spec.channels == 8);
  return short_vectors ? plain::with_criterion<4, 0, JudgeCut>(spec.kind, spec, left, total)
                       : plain::with_criterion<8, 0, JudgeCut>(spec.kind, spec, left, total);
}

}  // namespace device_scan

struct ScanCuts {
  static constexpr const char* kName = "scan cuts";
  static constexpr unsigned kThreads = 64;
  using Local = NoLocal;
  const HistogramFeature* features;
  std::uint32_t feature_count;
  const std::uint32_t* places;  // of the histograms, running sums
  const std::int32_t* totals;   // of the nodes
  CriterionSpec criterion;      // its codewords are the device's
  std::int32_t min_rows;
  float min_weight;
  const std::int32_t* histograms;
  std::size_t numbers;
  DeviceSplit* splits;  // nodes x features
  std::int32_t* lefts;  // likewise, x channels: the sums that are left of each; null: nobody asks

  LANES_INLINE std::size_t shared_bytes() const { return kThreads * sizeof(DeviceSplit); }
  LANES_INLINE unsigned phases() const { return lefts ? 3 : 2; }
  LANES_INLINE void operator()(unsigned phase, const KernelThread& self, void* shared,
                               Local&) const {
    auto* const found = static_cast<DeviceSplit*>(shared);
    const std::size_t node = self.block / feature_count;
    const HistogramFeature& feature = features[self.block % feature_count];
    const std::size_t channels = criterion.channels;
    const std::int32_t* const histogram =
        histograms + places[node] * numbers + feature.first_bin * channels;
    const std::int32_t* const missing = histogram + feature.value_bins * channels;
    const std::int32_t missing_rows = feature.has_missing ? missing[kCountChannel] : 0;
    if (phase == 0) {
      found[self.thread] = best_of_thread(self.thread, feature, histogram, missing,
                                          missing_rows > 0, totals + node * channels);
    } else if (phase == 2) {
      if (splits[self.block].score == kNoCut) return;
      const NumericCut cut = numeric_cut(splits[self.block].cut, feature.value_bins);
      for (std::size_t c = self.thread; c < channels; c += kThreads)
        lefts[self.block * channels + c] =
            histogram[cut.bin * channels + c] + (cut.missing_left ? missing[c] : 0);
    } else if (self.thread == 0) {
      DeviceSplit best = found[0];
      for (unsigned t = 1; t < kThreads; ++t)
        if (better(found[t], best)) best = found[t];
      best.missing_rows = static_cast<std::uint32_t>(missing_rows);
      splits[self.block] = best;
    }
  }

 private:
  static LANES_INLINE bool better(const DeviceSplit& a, const DeviceSplit& b) {
    return a.score > b.score || (a.score == b.score && a.cut < b.cut);
  }

  LANES_INLINE DeviceSplit best_of_thread(unsigned thread, const HistogramFeature& feature,
                                          const std::int32_t* histogram,
                                          const std::int32_t* missing, bool has_missing,
                                          const std::int32_t* total) const {
    DeviceSplit best{kNoCut, 0xffffffffU, 0};
    if (!feature.numeric) return best;
    const std::size_t channels = criterion.channels;
    ScanArgs args{};
    args.total = total;
    args.min_rows = min_rows;
    args.min_weight = min_weight;
    const std::uint32_t cuts = numeric_cuts(feature.value_bins, has_missing);
    for (std::uint32_t i = thread; i < cuts; i += kThreads) {
      const NumericCut cut = numeric_cut(i, feature.value_bins);
      const std::int32_t* const known = histogram + cut.bin * channels;
      const std::int32_t before = cut.bin > 0 ? (known - channels)[kCountChannel] : 0;
      if (known[kCountChannel] == before) continue;  // no row has that value
      const plain::SumsOfTwo left{known, cut.missing_left ? missing : nullptr};
      if (cut_fit(args, left) != CutFit::kYes) continue;
      const float score = device_scan::judge(criterion, left, total);
      if (score > best.score) best = {score, i, 0};
    }
    return best;
  }
};

}  // namespace simplexboost
