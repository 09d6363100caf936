// Trees for prediction, in flat arrays: what training packs, what the model file holds and what
// the predictor walks. A tree adds a vector of `width` numbers to the outputs from `output` on, so
// that scalar trees of one class, of one coordinate, and vector trees are one thing; what it adds
// there it may take from other outputs. It may add a linear function too, and a tree of one leaf
// with such a part is a linear model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simplexboost/export.h"
#include "simplexboost/image_filter.h"
#include "simplexboost/leaf_values.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

// In the place of a filter: none.
inline constexpr std::uint32_t kNoFilter = 0xffffffff;

// An inner node. A child c >= 0 is node c of the same tree, c < 0 is leaf ~c of the same tree.
// Children stand after their parent, so every walk ends.
struct Node {
  double threshold = 0;  // numeric: left if x <= threshold
  std::uint32_t feature = 0;
  std::int32_t left = -1;
  std::int32_t right = -1;
  std::uint32_t set = 0;       // categorical: first word of the left set in Forest::set_words
  std::uint16_t set_size = 0;  // categorical: words of the set; categories beyond it go right
  bool categorical = false;
  bool missing_left = false;  // where missing values go
  // A filter of Forest::filters: left if its value is up to the threshold, a whole number. The
  // feature is the pixel at its middle then, for those who ask what a tree looks at.
  std::uint32_t filter = kNoFilter;

  bool operator==(const Node&) const = default;
};

// A numeric feature in the linear part of a tree, which adds slope * position(x). Positions lie
// within [-1, 1] whatever x is: beyond the range seen in training the function goes on level, so no
// value to come can make a score explode.
struct LinearFeature {
  std::uint32_t feature = 0;
  double low = 0;  // the range of x, low < high
  double high = 1;
  double center = 0;  // where the position is 0, and where missing values stand
  float gain = 0;     // what the feature gained in training

  double position(double x) const {
    if (!(x == x)) return 0;
    return ((x < low ? low : x > high ? high : x) - center) / (high - low);
  }

  bool operator==(const LinearFeature&) const = default;
};

// In the place of an output: none.
inline constexpr std::uint32_t kNoOutput = 0xffffffff;

struct TreeSpan {
  std::uint32_t node_begin = 0;
  std::uint32_t node_end = 0;     // no nodes: a constant, one leaf
  std::uint64_t value_begin = 0;  // leaf l has values [value_begin + l * width, + width)
  std::uint32_t leaves = 1;
  std::uint32_t output = 0;
  std::uint32_t width = 1;
  // The linear part, all 0 where there is none: features [linear_begin, linear_end) of
  // Forest::linear_features; the k-th of them has slopes [slope_begin + k * width, + width).
  std::uint32_t linear_begin = 0;
  std::uint32_t linear_end = 0;
  std::uint64_t slope_begin = 0;
  // What goes to `output` is subtracted from the outputs from here on.
  std::uint32_t minus_output = kNoOutput;
  // Leaves name the few outputs that they add to (Forest::entry_ends); leaf l has the end at
  // value_begin + l then, and there is neither a linear part nor a minus_output.
  bool sparse = false;

  bool linear() const { return linear_begin != linear_end; }
  bool operator==(const TreeSpan&) const = default;
};

// The trees follow each other without gaps in `nodes` and `leaf_values` (those of sparse trees in
// `entry_ends`), their linear parts in `linear_features` and `slopes`; every node but the root, and
// every leaf, has exactly one parent (so a tree of n nodes has n + 1 leaves).
struct Forest {
  std::uint32_t outputs = 0;  // length of the score vector
  std::vector<TreeSpan> trees;
  std::vector<std::uint32_t> round_end;  // trees [0, round_end[r]) are those of the rounds 0 .. r
  std::vector<Node> nodes;
  std::vector<std::uint32_t> set_words;  // category c is left if bit c % 32 of word c / 32 is set
  LeafValues leaf_values;
  std::vector<float> node_gain;  // what each split gained in training; empty: not recorded
  // For each tree in order, for each leaf in order, the weight of the training rows that reached
  // it, from which come the covers of all nodes; empty: not recorded.
  std::vector<float> leaf_cover;
  std::vector<LinearFeature> linear_features;
  std::vector<float> slopes;
  // Leaves of sparse trees: the entries of each end at its entry_ends and begin where those of the
  // leaf before it end. An entry adds its value to an output, counted from the tree's first.
  std::vector<std::uint64_t> entry_ends;
  std::vector<std::uint32_t> entry_outputs;
  std::vector<float> entry_values;
  // Where rows are images: how, and the filters that nodes cut by, in the order of the nodes.
  ImageShape image;
  std::vector<ImageFilter> filters;

  std::size_t rounds() const { return round_end.size(); }
  // Trees of the first `rounds` rounds.
  std::size_t trees_of(std::size_t rounds) const { return rounds == 0 ? 0 : round_end[rounds - 1]; }
  // Of all trees together: a tree has one more than it has nodes.
  std::size_t leaves() const { return nodes.size() + trees.size(); }

  bool operator==(const Forest&) const = default;
};

// Appends a tree of these nodes (none: a constant) with (nodes + 1) x width leaf values, which adds
// to the outputs from `output` on. `gains` has one a node, or none at all.
SIMPLEXBOOST_API void append_tree(Forest& forest, std::span<const Node> nodes,
                                  std::span<const float> leaf_values, std::size_t output,
                                  std::size_t width, std::span<const float> gains = {});

// What the leaves of a sparse tree say, leaf by leaf.
struct SparseLeaves {
  std::vector<std::uint64_t> ends;  // of each leaf's entries, the first beginning at 0
  std::vector<std::uint32_t> outputs;
  std::vector<float> values;
};

// The same with leaves that name the outputs they add to.
SIMPLEXBOOST_API void append_tree(Forest& forest, std::span<const Node> nodes,
                                  const SparseLeaves& leaves, std::size_t output, std::size_t width,
                                  std::span<const float> gains = {});

// The entries of a sparse tree's leaf: [begin, end) of the forest's.
struct EntryRange {
  std::size_t begin;
  std::size_t end;
};
inline EntryRange leaf_entries(const Forest& forest, const TreeSpan& tree, std::size_t leaf) {
  const std::size_t at = tree.value_begin + leaf;
  return {at == 0 ? 0 : forest.entry_ends[at - 1], forest.entry_ends[at]};
}

// What a leaf adds to the outputs of its tree, `width` numbers.
SIMPLEXBOOST_API std::vector<float> leaf_vector(const Forest& forest, const TreeSpan& tree,
                                                std::size_t leaf);

// Appends a linear function: `intercept` and, for each feature, as many slopes.
SIMPLEXBOOST_API void append_linear(Forest& forest, std::span<const LinearFeature> features,
                                    std::span<const float> intercept, std::span<const float> slopes,
                                    std::size_t output);

// Appends all trees of another forest, their values times `factor`. Rounds are left to the caller.
SIMPLEXBOOST_API void append_forest(Forest& forest, const Forest& other, double factor);

// The same with those of one round, counted from 0, for the outputs from `output` on.
SIMPLEXBOOST_API void append_round(Forest& forest, const Forest& other, std::size_t round,
                                   double factor, std::size_t output);

// Makes the trees from `first` on, each of width 1, add code[j] times their value to output + j.
SIMPLEXBOOST_API void spread_trees(Forest& forest, std::size_t first, std::span<const float> code);

// Drops the trees after the first `rounds` rounds, as early stopping does.
SIMPLEXBOOST_API void keep_rounds(Forest& forest, std::size_t rounds);

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
