// The source for one process: while the histograms of a few features are in the caches, it fills
// those of one child, scans them, subtracts them from the parent's and scans what is left, the
// other child's. A whole histogram is kept only where subtraction from it will pay.
//
// Threads share a node by blocks of features where these are many, by its rows where they are not
// (FeatureBlocks::row_parts) and the node is large, or take small nodes each for itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned_vector.h"
#include "tree/histogram/histogram_pool.h"
#include "tree/histogram/histogram_source.h"
#include "tree/histogram/part_histograms.h"
#include "tree/node_rows.h"

namespace simplexboost {

class FusedSource : public HistogramSource {
 public:
  // `data` must outlive it.
  FusedSource(const BinnedDataset& data, int threads);

  void start(const Growth& growth) override;
  void split_root() override;
  std::vector<ChannelCut> best_cuts() override;
  std::vector<std::int32_t> choose_batch(const NodeQueue& queue, std::size_t room) override;
  void cut(std::span<const NodeCut> cuts) override;
  void join(std::size_t node) override { rows_.join(node); }
  void assign_leaves(const GrownTree& tree, const std::vector<std::int32_t>& leaf_of_node,
                     std::uint32_t* leaf_of_row) const override;

 private:
  struct Siblings;  // or a node alone: whose splits are looked for together
  struct Scratch {
    AlignedVector<std::int32_t> zeros;   // a histogram of a block; all zero between uses
    AlignedVector<std::int32_t> spare;   // two histograms of a feature
    AlignedVector<std::int32_t> left;    // one statistics vector
    std::vector<Split> candidates;       // features or blocks, x 2
    std::vector<Split> together;         // the same of several nodes
    std::vector<std::uint32_t> touched;  // features of a block
  };
  using Slot = HistogramPool::Slot;

  GrownTree& tree() const { return growth_->tree; }
  GrownNode& node(std::int32_t i) const { return tree().nodes[static_cast<std::size_t>(i)]; }
  std::int64_t count(std::int32_t i) const { return tree().count(static_cast<std::size_t>(i)); }
  bool may_split(std::int32_t i) const { return growth_->may_split(static_cast<std::size_t>(i)); }
  Slot& slot(std::int32_t i) { return slots_[static_cast<std::size_t>(i)]; }
  bool keeps_histogram(std::int32_t node) const;
  std::int32_t* keep(std::int32_t node);
  std::size_t work_of(std::int32_t node) const;
  bool shared_well(std::size_t work) const;
  // In how many parts threads take the rows of a node that is filled.
  std::size_t parts_of(std::int32_t node, int threads) const {
    return blocks_.row_parts(static_cast<std::size_t>(count(node)), threads);
  }
  Scratch& scratch();
  bool sums_of_histogram(std::int32_t node, int threads) const;
  void sum_root();
  Siblings part_and_plan(const NodeCut& cut, int threads, bool sums_first);
  void cut_one(const NodeCut& cut, int threads);
  void cut_together(std::span<const NodeCut> cuts);
  void count_children(std::int32_t node);
  void sum_children(std::int32_t node, int threads);
  Siblings plan_search(std::int32_t first, std::int32_t second, Slot parent_slot);
  const FeatureBlocks& blocks_for(std::size_t nodes, int threads) const;
  void choose_splits(const Siblings& siblings, Slot parent_slot);
  void find_splits(Siblings& siblings, Slot parent_slot, int threads);
  void take_sums(const Siblings& siblings, const std::int32_t* histogram, std::size_t bins);
  void leave_rest(std::int32_t parent, std::size_t child);
  void judge(const Siblings& siblings);
  void search_block(std::size_t b, const Siblings& siblings);
  void search_by_rows(const Siblings& siblings, std::size_t parts);
  template <class Use>
  void for_features(const Use& use);
  template <class Use>
  void with_histograms(const FeatureBlock& block, std::size_t node, std::int32_t* kept, bool all,
                       Scratch& own, const Use& use);
  void scan_feature(const Siblings& siblings, std::size_t b, std::size_t f,
                    const std::int32_t* small, Scratch& scratch);

  const BinnedDataset& data_;
  int threads_;
  const Growth* growth_ = nullptr;
  NodeRows rows_;
  bool root_sums_late_ = false;  // they come with its histogram
  FeatureBlocks blocks_;
  FeatureBlocks narrow_;  // the same features, in more blocks where there are few for the threads
  std::vector<Slot> slots_;  // of each node
  HistogramPool pool_;
  PartHistograms parts_;
  std::vector<Scratch> scratch_;  // a thread each
};

}  // namespace simplexboost
