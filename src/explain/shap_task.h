// The Shapley values of a few rows at a time: all trees, one after the other, path weights first
// and leaf vectors last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned_vector.h"
#include "explain/leaf_weights.h"
#include "explain/path_tree.h"
#include "explain/players.h"
#include "explain/score_space.h"
#include "explain/shap_kernels.h"
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
  // space; empty: all have all of them. In outputs they are not looked at. Writes the values to
  // `sums`, rows x row_stride, which need hold nothing before: player p has the `stride` numbers
  // from p * stride on, a pair those from its pair_place() on.
  void add(const PathForest& forest, const ScoreSpace& space,
           const std::vector<std::uint32_t>& chosen, std::size_t a_row, std::size_t stride,
           std::size_t row_stride, double* sums);

  // What the trees say of the rows themselves, rows x classes, bias left out.
  void add_scores(const PathForest& forest, const ScoreSpace& space, double* sums);

 private:
  struct Sink;
  // A tree of a batch, or the linear part of one: where its lines and values begin.
  struct Weighed {
    const TreeSpan* span;
    std::size_t leaves;
    std::size_t first_leaf;
  };
  // The entries of a player, or of a pair.
  struct Job {
    std::size_t place;
    std::uint32_t begin;
    std::uint32_t end;
  };
  void add_tree(const PathForest& forest, std::size_t t, Sink& sink);
  void add_linear(const PathForest& forest, const TreeSpan& tree, Sink& sink);
  void add_entries(std::span<const PathTarget> targets, const std::uint32_t* leaves,
                   std::size_t count, const Sink& sink);
  void flush(Sink& sink, bool slopes = false);
  void gather_jobs();
  void fill_table(const Sink& sink, std::size_t range, bool slopes, const ValueTable& table) const;
  void multiply_range(const Sink& sink, std::size_t range, bool slopes, bool fresh);
  void multiply_own(const Sink& sink, std::size_t range, bool slopes);
  void add_sparse(const PathTarget& target, const std::uint32_t* leaves, const Sink& sink);

  const Ensemble& ensemble_;
  const Players& players_;
  std::size_t rows_;
  std::vector<double> values_;  // of players, a line of kShapRows each
  // Of the tree at hand.
  std::vector<std::uint64_t> scratch_;
  std::vector<std::uint64_t> answers_;
  SparseValues sparse_;
  // Of the trees whose weights are known and whose leaves are not multiplied yet.
  std::vector<Weighed> batch_;
  std::size_t leaves_ = 0;
  UntouchedVector<double> lines_;
  std::vector<ShapEntry> entries_;
  std::vector<Job> jobs_;
  std::vector<ValueRange> ranges_;  // the same for all of them
  UntouchedVector<double> table_;
  std::vector<double> picked_;
};

// The place of a pair of players among all pairs i <= j of so many.
std::size_t pair_place(std::size_t i, std::size_t j, std::size_t players);

}  // namespace simplexboost
