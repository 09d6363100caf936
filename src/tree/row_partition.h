// The rows of all nodes in one array: a node owns a range, a split parts its range in two, keeping
// the order of rows on each side.
#pragma once

#include <cstdint>
#include <span>

#include "base/aligned_vector.h"
#include "data/binned_dataset.h"
#include "simplexboost/weak_learner.h"
#include "tree/split/split.h"

namespace simplexboost {

class RowPartition {
 public:
  // Starts with one range: the rows that were drawn, or all of [0, rows) if none were.
  void reset(std::size_t rows, const Sample& sample, int threads);

  // The rows in another order, as who parts them elsewhere has them.
  void set_order(std::span<const std::uint32_t> rows);

  std::size_t size() const { return rows_.size(); }
  std::span<const std::uint32_t> range(std::uint32_t begin, std::uint32_t end) const {
    return {rows_.data() + begin, end - begin};
  }
  // Whether every row of the data is in it, once.
  bool complete() const { return complete_; }
  // True while the one range is 0, 1, 2, ...: the root of unsampled growth.
  bool identity() const { return identity_; }

  // Puts the rows of [begin, end) that go left first; returns where the right ones begin.
  std::uint32_t split(std::uint32_t begin, std::uint32_t end, const Split& split,
                      const BinnedDataset& data, int threads);
  // Undoes a split, where the rows were ascending before it.
  void join(std::uint32_t begin, std::uint32_t middle, std::uint32_t end);

 private:
  template <class PartBlock>
  std::size_t split_blocks(std::uint32_t* rows, std::uint32_t* buffer, std::size_t count,
                           int threads, const PartBlock& part_block);

  UntouchedVector<std::uint32_t> rows_;
  UntouchedVector<std::uint32_t> buffer_;
  bool complete_ = false;
  bool identity_ = false;
};

}  // namespace simplexboost
