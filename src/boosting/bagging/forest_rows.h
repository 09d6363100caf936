// What the trees of a forest are grown on: the rows of all ranks, on each of them, since a tree
// parts them down to a few, of which sums would have to be exchanged node by node. So the ranks
// share the trees instead, each growing some of every batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/row_space.h"
#include "base/row_weights.h"
#include "data/binned_dataset.h"
#include "simplexboost/dataset.h"
#include "tree/classes/class_tree.h"

namespace simplexboost {

class ForestRows {
 public:
  // `share`, its bins and the space must outlive it. All ranks make theirs together.
  ForestRows(const Dataset& share, const BinnedDataset& bins, const RowSpace& space);
  ForestRows(const ForestRows&) = delete;  // the columns know the bins

  std::size_t rows() const { return space_.all(); }
  const BinColumns& columns() const { return columns_; }
  const Labels& labels() const { return all_ ? all_->labels : share_.labels; }
  const std::vector<double>& weights() const { return all_ ? all_->weights : share_.weights; }

 private:
  // Of several ranks.
  struct All {
    BinnedDataset bins;
    Labels labels;
    std::vector<double> weights;
  };

  const Dataset& share_;
  const RowSpace& space_;
  std::optional<All> all_;
  BinColumns columns_;
};

// Which of the trees of a batch this rank grows: as many as it has of all threads.
class TreeDeal {
 public:
  explicit TreeDeal(const RowSpace& space);

  std::size_t threads() const { return all_; }  // of all ranks
  // Of so many trees the first that it grows, and the one after its last.
  std::pair<std::size_t, std::size_t> mine(std::size_t trees) const {
    return {trees * before_ / all_, trees * (before_ + here_) / all_};
  }

 private:
  std::size_t before_ = 0;
  std::size_t here_;
  std::size_t all_ = 0;
};

// Each rank gave the trees that it grew, in the order of the ranks: all of them, on each.
std::vector<ClassTree> gather_trees(std::vector<ClassTree> mine, Communicator& ranks);

}  // namespace simplexboost
