#include "tree/split/channel_scan.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "tree/split/cuts.h"

namespace simplexboost {

void ChannelScan::add(const Growth& growth, const FeatureBlock& block,
                      const std::int32_t* histogram) {
  for (std::size_t f = 0; f < block.width(); ++f) {
    const std::uint32_t feature = block.features[f];
    const ScanArgs args =
        growth.scan_args(feature, 0, histogram + block.offsets[f] * growth.tree.channels);
    if (growth.data.bins(feature).type == FeatureType::kCategorical)
      add_categorical(args, feature, growth.options.categorical);
    else
      add_numeric(args, feature);
  }
}

// Judges the cuts of a number for each channel.
struct ChannelScan::NumericCuts {
  ChannelScan& scan;
  const ScanArgs& args;
  std::uint32_t feature;
  std::vector<std::int32_t> left;

  const std::int32_t* sums(std::uint32_t bin) const { return args.histogram + bin * left.size(); }

  void start(bool missing_left) {
    const std::int32_t* const missing = sums(args.value_bins);
    if (missing_left) return left.assign(missing, missing + left.size());
    std::fill(left.begin(), left.end(), 0);
  }
  bool empty(std::uint32_t bin) const { return sums(bin)[kCountChannel] == 0; }
  void move_left(std::uint32_t bin) {
    const std::int32_t* const moved = sums(bin);
    for (std::size_t j = 0; j < left.size(); ++j) left[j] += moved[j];
  }
  CutFit fit() const { return cut_fit(args, left.data()); }
  void try_cut(std::uint32_t bin, bool missing_left) {
    const std::uint32_t cut = 2 * bin + (missing_left ? 1 : 0);
    const std::int32_t* const g = left.data() + kPullChannel;
    const std::int32_t* const total = args.total + kPullChannel;
    for (std::size_t j = 0; j < scan.difference_.size(); ++j) {
      const std::int32_t difference = total[j] - g[j] - g[j];
      const bool better = std::abs(difference) > std::abs(scan.difference_[j]);
      scan.difference_[j] = better ? difference : scan.difference_[j];
      scan.cut_[j] = better ? cut : scan.cut_[j];
      scan.feature_[j] = better ? feature : scan.feature_[j];
    }
  }
};

void ChannelScan::add_numeric(const ScanArgs& args, std::uint32_t feature) {
  const std::size_t channels = args.criterion->channels;
  const std::int32_t* const missing = args.histogram + args.value_bins * channels;
  NumericCuts cuts{*this, args, feature, std::vector<std::int32_t>(channels)};
  for_numeric_cuts(cuts, args.value_bins, args.has_missing && missing[kCountChannel] > 0);
}

// As a histogram of that channel alone.
void ChannelScan::add_categorical(const ScanArgs& args, std::uint32_t feature,
                                  CategoricalSplits kind) {
  constexpr std::size_t kOneChannel = padded_channels(kPullChannel + 1);
  const std::size_t channels = args.criterion->channels;
  const std::size_t bins = args.value_bins + (args.has_missing ? 1U : 0U);
  std::vector<std::int32_t> histogram(bins * kOneChannel);
  for (std::size_t j = 0; j < difference_.size(); ++j) {
    const auto narrow = [&](const std::int32_t* from, std::int32_t* to) {
      to[kCountChannel] = from[kCountChannel];
      to[kWeightChannel] = from[kWeightChannel];
      to[kPullChannel] = from[kPullChannel + j];
    };
    for (std::size_t bin = 0; bin < bins; ++bin)
      narrow(args.histogram + bin * channels, histogram.data() + bin * kOneChannel);
    std::array<std::int32_t, kOneChannel> total{};
    narrow(args.total, total.data());
    CriterionSpec criterion = *args.criterion;
    criterion.channels = kOneChannel;
    criterion.pulls = 1;
    ScanArgs alone = args;
    alone.histogram = histogram.data();
    alone.total = total.data();
    alone.criterion = &criterion;
    Split split = best_categorical_split(alone, kind);
    if (!split.valid()) continue;
    std::int32_t left = 0;
    for (std::uint32_t bin = 0; bin < bins; ++bin) {
      const bool goes_left =
          bin == args.value_bins ? split.missing_left : in_set(split.left_set, bin);
      if (goes_left) left += histogram[bin * kOneChannel + kPullChannel];
    }
    const std::int32_t difference = total[kPullChannel] - left - left;
    if (std::abs(difference) <= std::abs(difference_[j])) continue;
    difference_[j] = difference;
    feature_[j] = feature;
    split.feature = feature;
    sets_[j] = std::move(split);
  }
}

void ChannelScan::merge(const ChannelScan& later) {
  for (std::size_t j = 0; j < difference_.size(); ++j) {
    const std::int32_t here = std::abs(difference_[j]);
    const std::int32_t there = std::abs(later.difference_[j]);
    if (there < here || (there == here && later.feature_[j] >= feature_[j])) continue;
    difference_[j] = later.difference_[j];
    cut_[j] = later.cut_[j];
    feature_[j] = later.feature_[j];
    sets_[j] = later.sets_[j];
  }
}

std::vector<ChannelCut> ChannelScan::cuts(const std::int32_t* total) const {
  std::vector<ChannelCut> cuts(difference_.size());
  for (std::size_t j = 0; j < cuts.size(); ++j) {
    Split& split = cuts[j].split;
    const std::int32_t whole = total[kPullChannel + j];
    split.constant = std::abs(difference_[j]) <= std::abs(whole);
    cuts[j].right_up = (split.constant ? whole : difference_[j]) > 0;
    if (split.constant) continue;
    if (sets_[j].categorical && sets_[j].feature == feature_[j]) {
      split = sets_[j];
      continue;
    }
    split.score = static_cast<float>(std::abs(difference_[j]));
    split.feature = feature_[j];
    split.bin = cut_[j] / 2;
    split.missing_left = cut_[j] % 2 != 0;
  }
  return cuts;
}

}  // namespace simplexboost
