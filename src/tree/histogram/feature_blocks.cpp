#include "tree/histogram/feature_blocks.h"

#include <algorithm>
#include <array>

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
// Numbers of the histograms of a block of sparse features: 16 MB.
constexpr std::size_t kSparseBlockNumbers = std::size_t{1} << 22;

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
  // Of each kind: alone, sharing bytes, sparse.
  std::array<std::vector<std::uint32_t>, 3> looked_at;
  std::array<std::vector<std::uint32_t>, 3> places;
  for (std::uint32_t i = 0; i < features_; ++i) {
    const std::uint32_t feature = features.empty() ? i : features[i];
    const std::size_t kind = data.sparse(feature) ? 2 : data.shares_byte(feature) ? 1 : 0;
    looked_at[kind].push_back(feature);
    places[kind].push_back(i);
  }
  dense_ = looked_at[0].size();
  plan_dense(data, looked_at[0], places[0], channels, widest);
  plan_shared(data, looked_at[1], places[1], channels, widest);
  plan_sparse(data, looked_at[2], places[2], channels, widest);
}

// To the last block.
void FeatureBlocks::add(const BinnedDataset& data, std::uint32_t feature, std::uint32_t place) {
  FeatureBlock& block = blocks_.back();
  const std::size_t bins = data.bins(feature).histogram_bins();
  block.offsets.push_back(static_cast<std::uint32_t>(block.bins));
  block.features.push_back(feature);
  block.places.push_back(place);
  block.bins += bins;
  block_of_.push_back(static_cast<std::uint32_t>(blocks_.size() - 1));
  bins_ += bins;
  largest_block_ = std::max(largest_block_, block.bins);
  largest_feature_ = std::max(largest_feature_, bins);
}

void FeatureBlocks::plan_dense(const BinnedDataset& data, std::span<const std::uint32_t> features,
                               std::span<const std::uint32_t> places, std::size_t channels,
                               std::size_t widest) {
  for (std::size_t i = 0; i < features.size(); ++i) {
    const std::size_t group = data.slot(features[i]) / BinnedDataset::kGroup;
    const std::size_t bins = data.bins(features[i]).histogram_bins();
    const bool joins = !blocks_.empty() && blocks_.back().group == group &&
                       blocks_.back().width() < widest &&
                       fits_block(blocks_.back().width() + 1, blocks_.back().bins + bins, channels);
    if (!joins) blocks_.push_back({group, block_of_.size(), bins_});
    add(data, features[i], places[i]);
    FeatureBlock& block = blocks_.back();
    block.columns.push_back(
        static_cast<std::uint32_t>(data.slot(features[i]) - data.slot(block.features[0])));
  }
}

// By bytes, each of which is in one block.
void FeatureBlocks::plan_shared(const BinnedDataset& data, std::span<const std::uint32_t> features,
                                std::span<const std::uint32_t> places, std::size_t channels,
                                std::size_t widest) {
  const SharedBytes& shared = data.shared_bytes();
  std::vector<std::vector<std::uint32_t>> of_byte(shared.bytes().size());
  for (std::uint32_t i = 0; i < features.size(); ++i)
    of_byte[shared.byte_of(features[i])].push_back(i);
  for (std::size_t b = 0; b < of_byte.size(); ++b) {
    if (of_byte[b].empty()) continue;
    const std::size_t column = data.slot(features[of_byte[b][0]]);
    const SharedBytes::Byte& byte = shared.bytes()[b];
    const FeatureBlock* const last = blocks_.empty() ? nullptr : &blocks_.back();
    const bool joins =
        last && last->shared && last->exclusive == byte.exclusive &&
        last->group == column / BinnedDataset::kGroup &&
        last->width() + of_byte[b].size() <= widest &&
        fits_block(last->byte_columns.size() + 1, last->codes + byte.codes, channels);
    if (!joins)
      blocks_.push_back(
          {column / BinnedDataset::kGroup, block_of_.size(), bins_, false, true, byte.exclusive});
    FeatureBlock& block = blocks_.back();
    for (const std::uint32_t i : of_byte[b]) {
      add(data, features[i], places[i]);
      block.columns.push_back(static_cast<std::uint32_t>(column - data.slot(block.features[0])));
      block.byte_of.push_back(static_cast<std::uint32_t>(block.byte_columns.size()));
      block.digits.push_back(shared.digits(features[i]));
    }
    block.byte_columns.push_back(block.columns.back());
    block.code_offsets.push_back(static_cast<std::uint32_t>(block.codes));
    block.codes += byte.codes;
    block.code_additions += byte.codes * of_byte[b].size();
    dense_ += byte.exclusive ? 1 : of_byte[b].size();
  }
}

// A whole group as a rule: its positions are the bins then.
void FeatureBlocks::plan_sparse(const BinnedDataset& data, std::span<const std::uint32_t> features,
                                std::span<const std::uint32_t> places, std::size_t channels,
                                std::size_t widest) {
  const SparseBins& sparse = data.sparse_bins();
  const auto place = [&](std::uint32_t feature) -> const SparseBins::Place& {
    return sparse.place(data.slot(feature));
  };
  for (std::size_t i = 0; i < features.size(); ++i) {
    const std::size_t group = place(features[i]).group;
    const std::size_t bins = data.bins(features[i]).histogram_bins();
    const FeatureBlock* const last = blocks_.empty() ? nullptr : &blocks_.back();
    const bool joins = last && last->sparse && last->group == group && last->width() < widest &&
                       (last->bins + bins) * channels <= kSparseBlockNumbers;
    if (!joins) blocks_.push_back({group, block_of_.size(), bins_, true});
    add(data, features[i], places[i]);
  }
  for (FeatureBlock& block : blocks_) {
    if (!block.sparse) continue;
    const SparseBins::Group& group = sparse.groups()[block.group];
    if (block.width() == group.places && block.bins == group.positions) continue;
    block.bin_of_position.assign(group.positions, kNoPlace);
    for (std::size_t f = 0; f < block.width(); ++f)
      for (std::uint32_t bin = 0; bin < data.bins(block.features[f]).histogram_bins(); ++bin)
        block.bin_of_position[place(block.features[f]).first + bin] = block.offsets[f] + bin;
  }
  // Of the rows of all ranks, so that they decide the same.
  entries_a_row_ = 0;
  for (const std::uint32_t feature : features)
    entries_a_row_ += static_cast<double>(data.bins(feature).others);
}

bool FeatureBlocks::subtraction_pays(std::int64_t rows) const {
  return additions(static_cast<std::size_t>(rows)) > kSubtractionRows * bins_;
}

bool FeatureBlocks::many(int threads) const {
  return blocks_.size() >= kManyBlocks * static_cast<std::size_t>(threads);
}

std::size_t FeatureBlocks::row_parts(std::size_t rows, int threads) const {
  if (threads <= 1 || bins_ == 0 || many(threads)) return 1;
  return std::clamp<std::size_t>(additions(rows) / (kPartRows * bins_), 1,
                                 kPartsOfAThread * static_cast<std::size_t>(threads));
}

}  // namespace simplexboost
