#include "tree/histogram/feature_blocks.h"

#include <algorithm>

#include "tree/kernels/kernels.h"

namespace simplexboost {
namespace {

// Rows to a bin from which keeping a histogram for subtraction pays (measured by bench/grow_tree on
// histograms of 26 kB to 20 MB): it costs passes over memory, where filling works in the cache.
constexpr std::size_t kSubtractionRows = 4;
// Blocks of features to a thread that threads share out well.
constexpr std::size_t kManyBlocks = 4;
// Rows to a bin from which adding up the histograms of parts takes little beside filling them; and
// parts to a thread, so that none waits long for another.
constexpr std::size_t kPartRows = 8;
constexpr std::size_t kPartsOfAThread = 2;

}  // namespace

void FeatureBlocks::plan(const BinnedDataset& data, std::span<const std::uint32_t> features,
                         std::size_t channels, std::size_t parts) {
  blocks_.clear();
  block_of_.clear();
  bins_ = 0;
  largest_block_ = 0;
  largest_feature_ = 0;
  features_ = features.empty() ? data.features() : features.size();
  const std::size_t widest = std::max<std::size_t>(features_ / parts, 1);
  for (std::size_t i = 0; i < features_; ++i) {
    const std::uint32_t feature = features.empty() ? static_cast<std::uint32_t>(i) : features[i];
    const std::size_t group = feature / BinnedDataset::kGroup;
    const std::size_t bins = data.bins(feature).histogram_bins();
    const bool joins = !blocks_.empty() && blocks_.back().group == group &&
                       blocks_.back().width() < widest &&
                       fits_block(blocks_.back().width() + 1, blocks_.back().bins + bins, channels);
    if (!joins) blocks_.push_back({group, i, bins_});
    FeatureBlock& block = blocks_.back();
    block.offsets.push_back(static_cast<std::uint32_t>(block.bins));
    block.features.push_back(feature);
    block.columns.push_back(feature - block.features[0]);
    block.bins += bins;
    block_of_.push_back(static_cast<std::uint32_t>(blocks_.size() - 1));
    bins_ += bins;
    largest_block_ = std::max(largest_block_, block.bins);
    largest_feature_ = std::max(largest_feature_, bins);
  }
}

bool FeatureBlocks::subtraction_pays(std::int64_t rows) const {
  return static_cast<std::size_t>(rows) * features_ > kSubtractionRows * bins_;
}

bool FeatureBlocks::many(int threads) const {
  return blocks_.size() >= kManyBlocks * static_cast<std::size_t>(threads);
}

std::size_t FeatureBlocks::row_parts(std::size_t rows, int threads) const {
  if (threads <= 1 || bins_ == 0 || many(threads)) return 1;
  return std::clamp<std::size_t>(rows * features_ / (kPartRows * bins_), 1,
                                 kPartsOfAThread * static_cast<std::size_t>(threads));
}

}  // namespace simplexboost
