// The histogram of a node whose rows threads share: each adds the rows that it takes to one of its
// own, in its own memory. Sums of integers are exact, so who took which rows does not matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned_vector.h"
#include "tree/histogram/feature_blocks.h"
#include "tree/node_rows.h"

namespace simplexboost {

class PartHistograms {
 public:
  explicit PartHistograms(int threads);

  // A new histogram: that of a node's rows, in so many parts.
  void fill(const FeatureBlocks& blocks, const NodeRows& rows, std::size_t node, std::size_t parts,
            std::size_t channels);

  // Sets `out` to the bins of feature f of a block.
  void add_up(std::size_t block, std::size_t f, std::int32_t* out) const;
  // Sets `out` to the sums of all rows: each is in one bin of the first feature.
  void total(std::int32_t* out) const;

 private:
  // Of one thread.
  struct Own {
    UntouchedVector<std::int32_t> numbers;
    std::vector<std::uint64_t> filled;  // of each block: the fill() that it is of
  };

  // Where the bins of a feature begin and end, in numbers.
  struct Range {
    std::size_t begin;
    std::size_t size;
  };
  Range range(std::size_t block, std::size_t f) const;
  template <class Use>
  void for_filled(std::size_t block, const Use& use) const;

  std::vector<Own> own_;
  const FeatureBlocks* blocks_ = nullptr;
  std::size_t channels_ = 0;
  std::uint64_t fills_ = 0;
};

}  // namespace simplexboost
