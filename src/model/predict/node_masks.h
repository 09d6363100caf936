// Trees for many rows at once, without a branch: every node of a tree is looked at for every row,
// and many rows at a time are compared by one instruction. A row that goes right at a node cannot
// reach the leaves left of it, which are struck off the row's set of leaves; when all nodes were
// looked at, its leaf is the first that is left (Lucchese et al., QuickScorer, SIGIR 2015).
//
// Values are replaced by their ranks among the thresholds of their feature (rank_columns.h), so
// that 64 rows are compared by one instruction (AVX-512).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/predict/node_mask_kernels.h"
#include "model/predict/rank_columns.h"
#include "simplexboost/dataset.h"
#include "simplexboost/forest.h"

namespace simplexboost {

class NodeMasks {
 public:
  explicit NodeMasks(const Forest& forest);

  // Trees with nodes of numbers only, and not too many of them. The others are not here.
  bool has(std::size_t tree) const { return trees_[tree].words > 0; }
  std::size_t columns() const { return columns_.size(); }

  void set_ranks(const Dataset& data, std::size_t begin, std::size_t end,
                 std::int8_t* ranks) const {
    columns_.set_ranks(data, begin, end, ranks);
  }
  // The leaves of so many rows, padded, from the left.
  void find_leaves(std::size_t tree, const std::int8_t* ranks, std::size_t rows,
                   std::uint8_t* leaves) const;
  // Of the leaves of a tree, from the left: their numbers, and where their values begin (not of
  // sparse trees).
  std::span<const std::uint16_t> leaf_numbers(std::size_t tree) const;
  const std::uint32_t* places(std::size_t tree) const;

  // Whether its leaves hold one number for one output, as others' trees do.
  bool single(std::size_t tree) const { return trees_[tree].single; }
  // Adds what such leaves of the trees [begin, end) say to the outputs of rows: `leaves` as
  // find_leaves() has them, trees x padded rows.
  void add_singles(std::size_t begin, std::size_t end, const std::uint8_t* leaves, std::size_t rows,
                   const Forest& forest, float* out) const;

 private:
  struct Tree {
    std::size_t step_begin = 0;
    std::size_t word_begin = 0;
    std::size_t words = 0;
    std::size_t leaf_begin = 0;
    std::size_t leaves = 0;
    std::uint32_t output = 0;
    bool single = false;
  };

  void add_steps(std::size_t column, double threshold, std::size_t first, std::size_t end,
                 std::span<std::vector<MaskStep>> words) const;
  void pack(const Forest& forest, std::size_t index, const std::uint16_t* columns);

  RankColumns columns_;
  std::vector<Tree> trees_;
  std::vector<MaskStep> steps_;
  std::vector<std::uint32_t> word_ends_;
  std::vector<std::uint16_t> numbers_;
  std::vector<std::uint32_t> places_;
};

}  // namespace simplexboost
