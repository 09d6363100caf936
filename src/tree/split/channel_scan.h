// The best signed cut of every pull channel on its own, found while the features' histograms are
// walked once: |G_right,j - G_left,j| for each cut and channel j.
#pragma once

#include <cstdint>
#include <vector>

#include "tree/growth.h"
#include "tree/histogram/feature_blocks.h"

namespace simplexboost {

// Rows on the right vote as `right_up` says, those on the left against it.
struct ChannelCut {
  Split split;
  bool right_up = true;
};

class ChannelScan {
 public:
  explicit ChannelScan(std::size_t channels)
      : difference_(channels), cut_(channels), feature_(channels), sets_(channels) {}

  // The cuts of the root by the features of a block, whose histograms are given.
  void add(const Growth& growth, const FeatureBlock& block, const std::int32_t* histogram);
  // The first feature wins a tie.
  void merge(const ChannelScan& later);

  // For another rank, which has looked at other features.
  template <class Bytes>
  void carry(Bytes& bytes) {
    bytes(difference_)(cut_)(feature_);
    for (Split& split : sets_) carry_split(bytes, split);
  }

  // Given the sums of all rows, which a cut must beat.
  std::vector<ChannelCut> cuts(const std::int32_t* total) const;

 private:
  void add_numeric(const ScanArgs& args, std::uint32_t feature);
  void add_categorical(const ScanArgs& args, std::uint32_t feature, CategoricalSplits kind);
  struct NumericCuts;

  std::vector<std::int32_t> difference_;  // of the best cut: right minus left
  std::vector<std::uint32_t> cut_;        // 2 bin + missing left
  std::vector<std::uint32_t> feature_;
  std::vector<Split> sets_;  // of a categorical feature, where it is the best
};

}  // namespace simplexboost
