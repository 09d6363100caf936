// The features that a tree looks at, in blocks whose histograms are filled in one pass over rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/binned_dataset.h"

namespace simplexboost {

// Features of one group of the data, dense or sparse ones.
struct FeatureBlock {
  std::size_t group;
  std::size_t first;                        // features in the blocks before it
  std::size_t first_bin;                    // in a whole histogram
  bool sparse = false;                      // a group of SparseBins
  bool shared = false;                      // features that share bytes, of a group;
  bool exclusive = false;                   // exclusive ones (SharedBytes::Byte)
  std::size_t bins = 0;                     // together
  std::vector<std::uint32_t> offsets = {};  // of each feature, in bins from first_bin
  std::vector<std::uint32_t> features = {};
  std::vector<std::uint32_t> places = {};   // of each feature among those looked at
  std::vector<std::uint32_t> columns = {};  // dense: of each feature, from the first
  // Shared: the bytes themselves, from the column of the first; where the numbers of each begin
  // among those of all; and, of each feature, which of the bytes it is in and its bin for each
  // number (SharedBytes::digits).
  std::vector<std::uint32_t> byte_columns = {};
  std::vector<std::uint32_t> code_offsets = {};
  std::size_t codes = 0;           // of all bytes
  std::size_t code_additions = 0;  // numbers that mean something to a feature, of all features
  std::vector<std::uint32_t> byte_of = {};
  std::vector<const std::uint8_t*> digits = {};
  // Sparse: the bin of each position of the group, or kNoPlace; empty: the same.
  std::vector<std::uint32_t> bin_of_position = {};

  std::size_t width() const { return features.size(); }
};

class FeatureBlocks {
 public:
  // `features`: ascending; empty: all. `channels`: of a statistics vector. There are `parts` blocks
  // or more, if there are features for so many.
  // Dense ones come first, then those that share bytes, then sparse ones; features ascending in the
  // first and in the last.
  void plan(const BinnedDataset& data, std::span<const std::uint32_t> features,
            std::size_t channels, std::size_t parts = 1);

  std::size_t size() const { return blocks_.size(); }
  const FeatureBlock& operator[](std::size_t i) const { return blocks_[i]; }
  auto begin() const { return blocks_.begin(); }
  auto end() const { return blocks_.end(); }

  std::size_t features() const { return features_; }  // looked at
  // Of the i-th, in the order of the blocks.
  std::size_t block_of(std::size_t i) const { return block_of_[i]; }
  bool sparse() const { return !blocks_.empty() && blocks_.back().sparse; }
  std::size_t bins() const { return bins_; }                    // of a whole histogram
  std::size_t largest_block() const { return largest_block_; }  // bins
  std::size_t largest_feature() const { return largest_feature_; }
  // Vectors that are added where histograms of so many rows are filled.
  std::size_t additions(std::size_t rows) const {
    return rows * dense_ + static_cast<std::size_t>(entries_a_row_ * static_cast<double>(rows));
  }

  // Whether a node has enough rows that subtracting a child's histogram from its own beats filling
  // that of the other child.
  bool subtraction_pays(std::int64_t rows) const;

  // Whether blocks are so many that threads share them out well.
  bool many(int threads) const;
  // In how many parts threads take the rows of a node; 1: all together, block by block.
  std::size_t row_parts(std::size_t rows, int threads) const;

 private:
  void plan_dense(const BinnedDataset& data, std::span<const std::uint32_t> features,
                  std::span<const std::uint32_t> places, std::size_t channels, std::size_t widest);
  void plan_shared(const BinnedDataset& data, std::span<const std::uint32_t> features,
                   std::span<const std::uint32_t> places, std::size_t channels, std::size_t widest);
  void plan_sparse(const BinnedDataset& data, std::span<const std::uint32_t> features,
                   std::span<const std::uint32_t> places, std::size_t channels, std::size_t widest);
  void add(const BinnedDataset& data, std::uint32_t feature, std::uint32_t place);

  std::vector<FeatureBlock> blocks_;
  std::vector<std::uint32_t> block_of_;
  std::size_t features_ = 0;
  std::size_t dense_ = 0;     // features, with those that share bytes, and bytes of exclusive ones
  double entries_a_row_ = 0;  // of the sparse ones
  std::size_t bins_ = 0;
  std::size_t largest_block_ = 0;
  std::size_t largest_feature_ = 0;
};

}  // namespace simplexboost
