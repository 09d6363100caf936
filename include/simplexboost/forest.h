// Trees for prediction, in flat arrays: what training packs, what the model file holds and what
// the predictor walks. A tree adds a vector of `width` numbers to the outputs from `output` on, so
// that scalar trees of one class, of one coordinate, and vector trees are one thing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simplexboost {

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

  bool operator==(const Node&) const = default;
};

struct TreeSpan {
  std::uint32_t node_begin = 0;
  std::uint32_t node_end = 0;     // no nodes: a constant, one leaf
  std::uint64_t value_begin = 0;  // leaf l has values [value_begin + l * width, + width)
  std::uint32_t leaves = 1;
  std::uint32_t output = 0;
  std::uint32_t width = 1;

  bool operator==(const TreeSpan&) const = default;
};

// The trees follow each other without gaps in `nodes` and `leaf_values`; every node but the root,
// and every leaf, has exactly one parent (so a tree of n nodes has n + 1 leaves).
struct Forest {
  std::uint32_t outputs = 0;  // length of the score vector
  std::vector<TreeSpan> trees;
  std::vector<std::uint32_t> round_end;  // trees [0, round_end[r]) are those of the rounds 0 .. r
  std::vector<Node> nodes;
  std::vector<std::uint32_t> set_words;  // category c is left if bit c % 32 of word c / 32 is set
  std::vector<float> leaf_values;
  std::vector<float> node_gain;  // what each split gained in training; empty: not recorded

  std::size_t rounds() const { return round_end.size(); }
  // Trees of the first `rounds` rounds.
  std::size_t trees_of(std::size_t rounds) const { return rounds == 0 ? 0 : round_end[rounds - 1]; }

  bool operator==(const Forest&) const = default;
};

// Drops the trees after the first `rounds` rounds, as early stopping does.
void keep_rounds(Forest& forest, std::size_t rounds);

}  // namespace simplexboost
