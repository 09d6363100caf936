// The best cut of a node by Haar-like filters (include/simplexboost/image_filter.h) that are drawn
// for this node alone. There are far too many filters to bin them beforehand, and each node that
// sees others makes trees that differ.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "tree/growth.h"

namespace simplexboost {

// A filter of any kind that fits, its size and then its place drawn evenly.
ImageFilter draw_filter(const ImageShape& shape, Random& random);

// The values of a filter on the rows of a node, grouped into bins: cells of equal width between the
// least and the largest value, as many of them to a bin as hold their share of the rows.
class FilterBins {
 public:
  static constexpr std::size_t kCells = 1024;
  static constexpr std::size_t kMost = 64;

  void assign(std::span<const std::int32_t> values);
  // The same where several have rows of the node: the range of all values first, then the counts of
  // all cells, to which each adds those of its own.
  struct Range {
    std::int32_t least;
    std::int32_t most;
  };
  static Range range_of(std::span<const std::int32_t> values);
  void begin(Range range);
  void count_cells(std::span<const std::int32_t> values, std::span<std::int32_t> counts) const;
  void end(std::span<const std::int32_t> counts);
  std::uint32_t size() const { return size_; }
  std::uint8_t bin_of(std::int32_t value) const {
    return bin_of_cell_[(static_cast<std::uint32_t>(value) - low_) >> shift_];
  }
  // The largest value that goes left by a cut behind a bin that is not the last.
  std::int32_t limit(std::uint32_t bin) const { return limits_[bin]; }

 private:
  std::uint32_t low_ = 0;  // as unsigned numbers, differences of which cannot overflow
  std::uint32_t shift_ = 0;
  std::uint32_t cells_ = 1;
  std::uint32_t size_ = 1;
  std::array<std::uint8_t, kCells> bin_of_cell_ = {};
  std::array<std::int32_t, kMost> limits_ = {};
};

// `count` of them for a node, by the stream of the tree and the way from its root.
std::vector<ImageFilter> node_filters(const ImageShape& shape, std::size_t count,
                                      const SplitChance& chance, const GrownTree& tree,
                                      std::size_t node);

// Of as many as the options say; not valid where none can cut the node.
Split best_filter_cut(const Growth& growth, std::size_t node);

}  // namespace simplexboost
