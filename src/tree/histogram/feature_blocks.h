// The features that a tree looks at, in blocks whose histograms are filled in one pass over rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/binned_dataset.h"

namespace simplexboost {

// Features of one group of the data.
struct FeatureBlock {
  std::size_t group;
  std::size_t first;                        // index of the first feature among those looked at
  std::size_t first_bin;                    // in a whole histogram
  std::size_t bins = 0;                     // together
  std::vector<std::uint32_t> offsets = {};  // of each feature, in bins from first_bin
  std::vector<std::uint32_t> features = {};
  std::vector<std::uint32_t> columns = {};  // of each feature, from the first

  std::size_t width() const { return features.size(); }
};

class FeatureBlocks {
 public:
  // `features`: ascending; empty: all. `channels`: of a statistics vector. There are `parts` blocks
  // or more, if there are features for so many.
  void plan(const BinnedDataset& data, std::span<const std::uint32_t> features,
            std::size_t channels, std::size_t parts = 1);

  std::size_t size() const { return blocks_.size(); }
  const FeatureBlock& operator[](std::size_t i) const { return blocks_[i]; }
  auto begin() const { return blocks_.begin(); }
  auto end() const { return blocks_.end(); }

  std::size_t features() const { return features_; }                  // looked at
  std::size_t block_of(std::size_t i) const { return block_of_[i]; }  // of the i-th looked at
  std::size_t bins() const { return bins_; }                          // of a whole histogram
  std::size_t largest_block() const { return largest_block_; }        // bins
  std::size_t largest_feature() const { return largest_feature_; }

  // Whether a node has enough rows that subtracting a child's histogram from its own beats filling
  // that of the other child.
  bool subtraction_pays(std::int64_t rows) const;

  // Whether blocks are so many that threads share them out well.
  bool many(int threads) const;
  // In how many parts threads take the rows of a node; 1: all together, block by block.
  std::size_t row_parts(std::size_t rows, int threads) const;

 private:
  std::vector<FeatureBlock> blocks_;
  std::vector<std::uint32_t> block_of_;
  std::size_t features_ = 0;
  std::size_t bins_ = 0;
  std::size_t largest_block_ = 0;
  std::size_t largest_feature_ = 0;
};

}  // namespace simplexboost
