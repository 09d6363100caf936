// Grows one tree on binned data: the order in which its nodes are cut. It knows statistics and a
// criterion, but no loss, no class and no learning rate; a scalar tree is one of width 1.
//
// The life of a grower:
//   1. made once for a training set; its buffers serve every tree;
//   2. grow() takes the statistics of a round and returns the structure and the rows of each leaf;
//   3. a leaf rule (leaf_rule.h) turns these into values, pack.h into a tree that predicts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/row_space.h"
#include "tree/growth.h"
#include "tree/histogram/histogram_source.h"
#include "tree/split/channel_scan.h"

namespace simplexboost {

class TreeGrower {
 public:
  // `data`: the rows of `space` that are here; it must outlive the grower.
  TreeGrower(const BinnedDataset& data, const RowSpace& space, const GrowthOptions& options);
  TreeGrower(const BinnedDataset& data, const GrowthOptions& options,
             std::unique_ptr<HistogramSource> source);

  // The result refers to the grower's rows: it is valid until the next call. `node_stats`: sets
  // `stats` for each node.
  const GrownTree& grow(const RowStats& stats, const CriterionSpec& criterion,
                        const Sample& sample = {}, const SplitChance& chance = {},
                        NodeStats* node_stats = nullptr);

  // The best vote of a cut for each pull on its own (kVote of that channel), all of them from one
  // histogram. Where no cut beats the constant vote, the split is `constant`.
  std::vector<ChannelCut> best_cuts(const RowStats& stats, const Sample& sample = {});

  // Which leaf of the last tree each row that is here falls into.
  void assign_leaves(const std::vector<std::int32_t>& leaf_of_node,
                     std::uint32_t* leaf_of_row) const {
    source_->assign_leaves(tree_, leaf_of_node, leaf_of_row);
  }

  const BinnedDataset& data() const { return data_; }

 private:
  void start(const Growth& growth);
  bool full() const { return options_.max_leaves > 0 && open_leaves_ >= options_.max_leaves; }
  void cut_some(const NodeQueue& queue);
  void take(std::int32_t node);
  void drop_untaken();

  const BinnedDataset& data_;
  GrowthOptions options_;
  std::unique_ptr<HistogramSource> source_;
  GrownTree tree_;
  std::optional<MonotoneCuts> monotone_;
  int open_leaves_ = 0;
  // When each node came to be part of the tree, counting from 0; -1: it has not, or not yet.
  std::vector<std::int32_t> order_;
  std::int32_t taken_ = 0;
};

}  // namespace simplexboost
