// The trees of a forest packed for walks, on the processor and on devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/simd/formula.h"
#include "simplexboost/forest.h"

namespace simplexboost {

// A node in 16 bytes, leaves being nodes too. Siblings are neighbours: the right child is
// `child` + 1. A leaf is its own child and its threshold is a NaN, to which no number compares:
// walking on from a leaf stays there, so rows that are done need no branch while others go on.
struct PackedNode {
  static constexpr std::uint32_t kMissingRight = 1U << 31;
  static constexpr std::uint32_t kCategorical = 1U << 30;
  static constexpr std::uint32_t kFilter = 1U << 29;
  static constexpr std::uint32_t kFeature = kFilter - 1;

  double threshold;       // numeric; a set's place and size (categorical); a leaf's number
  std::uint32_t feature;  // among the features that the forest uses; flags above
  std::uint32_t child;    // within the tree

  LANES_INLINE std::uint32_t leaf() const {
    return static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, threshold));
  }

  // The node after this, of a row that has the value x; not of filters.
  template <bool kMixed>
  LANES_INLINE std::uint32_t next(double x, const std::uint32_t* set_words) const {
    if constexpr (kMixed)
      if ((feature & kCategorical) != 0) return child + (goes_right(x, set_words) ? 1U : 0U);
    const auto above = static_cast<std::uint32_t>(x > threshold);
    const auto missing = static_cast<std::uint32_t>(!(x == x));
    return child + (above | (missing & (feature >> 31)));
  }

 private:
  // Category codes come as numbers; what is not a code of the set goes right, or where missing
  // goes.
  LANES_INLINE bool goes_right(double category, const std::uint32_t* set_words) const {
    if (!(category >= 0)) return (feature & kMissingRight) != 0;
    const auto place = __builtin_bit_cast(std::uint64_t, threshold);
    const auto words = static_cast<std::uint32_t>(place >> 32U);
    if (category >= 32.0 * words) return true;
    const auto code = static_cast<std::uint32_t>(category);
    const std::uint32_t word = set_words[static_cast<std::uint32_t>(place) + code / 32];
    return ((word >> (code % 32)) & 1) == 0;
  }
};

struct PackedLinear {
  LinearFeature scale;
  std::uint32_t feature;  // among the features that the forest uses
};

struct PackedTree {
  std::uint64_t begin = 0;        // first packed node
  std::uint64_t value_begin = 0;  // of leaf 0
  std::uint64_t slope_begin = 0;  // of the first linear feature
  std::uint32_t linear_begin = 0;
  std::uint32_t linear_end = 0;
  std::uint32_t depth = 0;
  std::uint32_t output = 0;
  std::uint32_t width = 0;
  std::uint32_t minus_output = kNoOutput;
  bool mixed = false;  // some nodes are categorical or filters
  bool sparse = false;
  bool whole = false;  // its leaves have values of all outputs, and that is all there is to it

  LANES_INLINE bool linear() const { return linear_begin != linear_end; }
  // A leaf has a number for each of `width` outputs, and that is all there is to it.
  bool plain() const { return !sparse && !linear() && minus_output == kNoOutput; }
  // Whether its values, from the output `first` on, are among the outputs [low, high).
  LANES_INLINE bool reaches(std::uint32_t first, std::size_t low, std::size_t high) const {
    return first != kNoOutput && first < high && std::size_t{first} + width > low;
  }
};

struct PackedForest {
  // Of a sound forest over so many features.
  PackedForest(const Forest& forest, std::size_t feature_count);

  std::vector<std::uint32_t> features;  // those that are used, by compact number
  std::vector<PackedNode> nodes;
  std::vector<PackedLinear> linear;
  std::vector<PackedTree> trees;

  std::span<const PackedLinear> linear_of(const PackedTree& tree) const {
    return std::span(linear).subspan(tree.linear_begin, tree.linear_end - tree.linear_begin);
  }

 private:
  void pack(const Forest& forest, const TreeSpan& span, std::span<const std::uint32_t> compact);
};

}  // namespace simplexboost
