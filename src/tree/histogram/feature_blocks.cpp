#include "tree/histogram/feature_blocks.h"

#include <algorithm>

#include "tree/kernels/kernels.h"

namespace simplexboost {
namespace {

// Rows to a bin from which keeping a histogram for subtraction pays (measured by bench/grow_tree on
// histograms of 26 kB to 20 MB): it costs passes over memory, where filling works in the cache.
constexpr std::size_t kSubtractionRows = 4;

}  // namespace

void FeatureBlocks::plan(const BinnedDataset& data, std::span<const std::uint32_t> features,
                         std::size_t channels) {
  blocks_.clear();
  bins_ = 0;
  largest_block_ = 0;
  largest_feature_ = 0;
  features_ = features.empty() ? data.features() : features.size();
  for (std::size_t i = 0; i < features_; ++i) {
    const std::uint32_t feature = features.empty() ? static_cast<std::uint32_t>(i) : features[i];
    const std::size_t group = feature / BinnedDataset::kGroup;
    const std::size_t bins = data.bins(feature).histogram_bins();
    const bool joins = !blocks_.empty() && blocks_.back().group == group &&
                       fits_block(blocks_.back().width() + 1, blocks_.back().bins + bins, channels);
    if (!joins) blocks_.push_back({group, i, bins_});
    FeatureBlock& block = blocks_.back();
    block.offsets.push_back(static_cast<std::uint32_t>(block.bins));
    block.features.push_back(feature);
    block.columns.push_back(feature - block.features[0]);
    block.bins += bins;
    bins_ += bins;
    largest_block_ = std::max(largest_block_, block.bins);
    largest_feature_ = std::max(largest_feature_, bins);
  }
}

bool FeatureBlocks::subtraction_pays(std::int64_t rows) const {
  return static_cast<std::size_t>(rows) * features_ > kSubtractionRows * bins_;
}

}  // namespace simplexboost
