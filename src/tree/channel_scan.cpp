#include "tree/channel_scan.h"

#include <array>
#include <cstdlib>
#include <utility>

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

void ChannelScan::scan_direction(const ScanArgs& args, std::uint32_t feature, bool missing_left) {
  const std::size_t channels = args.criterion->channels;
  const std::size_t width = difference_.size();
  const std::int32_t* const missing = args.histogram + args.value_bins * channels;
  std::vector<std::int32_t> left(channels);
  if (missing_left) left.assign(missing, missing + channels);
  const std::int32_t rows = args.total[kCountChannel];
  const bool missing_right = !missing_left && args.has_missing && missing[kCountChannel] > 0;
  const std::uint32_t cuts = args.value_bins - (missing_right ? 0 : 1);
  for (std::uint32_t bin = 0; bin < cuts; ++bin) {
    const std::int32_t* sums = args.histogram + bin * channels;
    if (sums[kCountChannel] == 0) continue;
    for (std::size_t j = 0; j < channels; ++j) left[j] += sums[j];
    if (left[kCountChannel] < args.min_rows) continue;
    if (rows - left[kCountChannel] < args.min_rows) return;
    if (args.min_weight > 0) {
      const auto weight = static_cast<float>(left[kWeightChannel]);
      const auto whole = static_cast<float>(args.total[kWeightChannel]);
      if (weight < args.min_weight || whole - weight < args.min_weight) continue;
    }
    const std::uint32_t cut = 2 * bin + (missing_left ? 1 : 0);
    const std::int32_t* const g = left.data() + kPullChannel;
    const std::int32_t* const total = args.total + kPullChannel;
    for (std::size_t j = 0; j < width; ++j) {
      const std::int32_t difference = total[j] - g[j] - g[j];
      const bool better = std::abs(difference) > std::abs(difference_[j]);
      difference_[j] = better ? difference : difference_[j];
      cut_[j] = better ? cut : cut_[j];
      feature_[j] = better ? feature : feature_[j];
    }
  }
}

void ChannelScan::add_numeric(const ScanArgs& args, std::uint32_t feature) {
  const std::int32_t* const missing = args.histogram + args.value_bins * args.criterion->channels;
  const bool both = args.has_missing && missing[kCountChannel] > 0;
  scan_direction(args, feature, false);
  if (both) scan_direction(args, feature, true);
}

// As a histogram of that channel alone.
void ChannelScan::add_categorical(const ScanArgs& args, std::uint32_t feature,
                                  CategoricalSplits kind) {
  constexpr std::size_t kNarrow = padded_channels(kPullChannel + 1);
  const std::size_t channels = args.criterion->channels;
  const std::size_t bins = args.value_bins + (args.has_missing ? 1U : 0U);
  std::vector<std::int32_t> histogram(bins * kNarrow);
  for (std::size_t j = 0; j < difference_.size(); ++j) {
    const auto narrow = [&](const std::int32_t* from, std::int32_t* to) {
      to[kCountChannel] = from[kCountChannel];
      to[kWeightChannel] = from[kWeightChannel];
      to[kPullChannel] = from[kPullChannel + j];
    };
    for (std::size_t bin = 0; bin < bins; ++bin)
      narrow(args.histogram + bin * channels, histogram.data() + bin * kNarrow);
    std::array<std::int32_t, kNarrow> total{};
    narrow(args.total, total.data());
    CriterionSpec criterion = *args.criterion;
    criterion.channels = kNarrow;
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
      if (goes_left) left += histogram[bin * kNarrow + kPullChannel];
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
    if (std::abs(later.difference_[j]) <= std::abs(difference_[j])) continue;
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
