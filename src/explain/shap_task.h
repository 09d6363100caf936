// The Shapley values of a few rows at a time: all trees, one after the other, path weights first
// and leaf vectors last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "explain/leaf_weights.h"
#include "explain/path_tree.h"
#include "explain/players.h"
#include "explain/score_space.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

// A forest made ready: its trees as paths, and what rows of a background answer.
struct PathForest {
  GameKind kind = GameKind::kFeatures;
  std::vector<PathTree> trees;
  std::vector<BackgroundAnswers> background;  // of each tree; empty: covers
  // Of each linear feature of the forest, its mean position where nothing is known of the row.
  std::vector<double> linear_means;
};

// What is summed for each row: targets x stride numbers, those of players or of pairs of them.
class ShapTask {
 public:
  // Of rows [begin, end) of the data, kShapRows at most. All must outlive it.
  ShapTask(const Ensemble& ensemble, const Players& players, const Dataset& data, std::size_t begin,
           std::size_t end);

  // `chosen`: where each row has columns of its own, rows x `a_row` places among the columns of the
  // space; empty: all have all of them. In outputs they are not looked at. Adds the values to
  // `sums`, rows x row_stride: player p has the `stride` numbers from p * stride on, a pair those
  // from its pair_place() on.
  void add(const PathForest& forest, const ScoreSpace& space,
           const std::vector<std::uint32_t>& chosen, std::size_t a_row, std::size_t stride,
           std::size_t row_stride, double* sums);

  // What the trees say of the rows themselves, rows x classes, bias left out.
  void add_scores(const PathForest& forest, const ScoreSpace& space, double* sums);

 private:
  struct Sink;
  void add_tree(const PathForest& forest, std::size_t t, const Sink& sink);
  void add_linear(const PathForest& forest, const TreeSpan& tree, const Sink& sink);
  void add_products(std::span<const PathTarget> targets, const std::uint32_t* leaves,
                    const Sink& sink);
  void add_sparse(const PathTarget& target, const std::uint32_t* leaves, const Sink& sink);

  const Ensemble& ensemble_;
  const Players& players_;
  std::size_t rows_;
  std::vector<double> values_;  // of players, a line of kShapRows each
  // Of the tree at hand.
  std::vector<std::uint64_t> scratch_;
  std::vector<std::uint64_t> answers_;
  std::vector<double> lines_;
  std::vector<ValuePart> parts_;
  SparseValues sparse_;
  std::vector<double> picked_;
};

// The place of a pair of players among all pairs i <= j of so many.
std::size_t pair_place(std::size_t i, std::size_t j, std::size_t players);

}  // namespace simplexboost
