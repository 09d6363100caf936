// A tree as its paths: the features on the way to each leaf, what share of the rows goes that way
// without them, and how the answers of rows to its nodes become the answers to these features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "explain/players.h"
#include "simplexboost/forest.h"

namespace simplexboost {

// What values are asked of: single features, or pairs of them.
enum class GameKind : std::uint8_t { kFeatures, kPairs };

struct PathTarget {
  std::uint32_t player = 0;
  std::uint32_t other = 0;  // of a pair; else the same
  std::size_t begin = 0;    // of its entries
  std::size_t end = 0;
};

class PathTree {
 public:
  // ModelError where the paths are too long to be listed. The forest must outlive it and have
  // covers unless `covers` is false.
  PathTree(const Forest& forest, std::size_t number, const Players& players, GameKind kind,
           bool covers);

  const TreeSpan& span() const { return *span_; }
  std::size_t leaves() const { return span_->leaves; }
  std::size_t words() const { return words_; }  // of the answers of a row at a leaf

  // On the way to a leaf: feature j has the bit j of the answers.
  std::size_t features_of(std::size_t leaf) const { return first_[leaf + 1] - first_[leaf]; }
  std::span<const double> shares(std::size_t leaf) const {
    return std::span(shares_).subspan(first_[leaf], features_of(leaf));
  }
  // Whether a row, by its answers at a leaf, is there.
  bool reached(const std::uint64_t* answers, std::size_t leaf, std::size_t row) const;
  // The share of the rows that reach the leaf: the product of its shares.
  double reach(std::size_t leaf) const;

  // Each target is moved by the leaves that have it on their way: leaf_of(e) for the target's
  // entries e. The entries of a leaf, in the order of its features (or pairs i < j), are at
  // places().
  std::span<const PathTarget> targets() const { return targets_; }
  const std::uint32_t* entry_leaves() const { return entry_leaf_.data(); }
  std::size_t entries() const { return entry_leaf_.size(); }
  const std::uint32_t* places(std::size_t leaf) const {
    return places_.data() + first_entry_[leaf];
  }

  // The answers of kShapRows rows at each leaf: leaves x words x kShapRows. `values`: as
  // Players::gather gives them; `scratch` is for this call.
  void answers(const double* values, std::vector<std::uint64_t>& scratch,
               std::uint64_t* of_leaves) const;

 private:
  struct Feature {
    std::uint32_t player;
    double share;
  };
  void find_paths(std::span<const double> covers);
  void order_entries(GameKind kind);
  void test(std::size_t node, const double* values, std::uint64_t* left) const;

  const Forest& forest_;
  const TreeSpan* span_;
  std::vector<std::uint32_t> node_player_;
  std::vector<std::uint32_t> node_bit_;
  std::vector<std::uint32_t> first_;   // of each leaf in the next two; one more at the end
  std::vector<std::uint32_t> player_;  // of the features on its way
  std::vector<double> shares_;
  std::size_t most_ = 0;
  std::size_t words_ = 1;
  std::vector<PathTarget> targets_;
  std::vector<std::uint32_t> entry_leaf_;
  std::vector<std::uint32_t> first_entry_;  // of each leaf in places_
  std::vector<std::uint32_t> places_;
};

}  // namespace simplexboost
