// The source where rows are parted among ranks. Each rank fills the histograms of all features from
// its rows, gets the sums of some features over all ranks, and scans these; then the ranks tell
// each other their best splits. What it does depends on what all ranks know alone, so that all of
// them make the same calls.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned_vector.h"
#include "base/row_space.h"
#include "tree/histogram/histogram_pool.h"
#include "tree/histogram/histogram_source.h"
#include "tree/node_rows.h"

namespace simplexboost {

class WholeSource : public HistogramSource {
 public:
  // `data`: the rows of `space` that are here; it must outlive the source.
  WholeSource(const BinnedDataset& data, const RowSpace& space);

  void start(const Growth& growth) override;
  void split_root() override;
  std::vector<ChannelCut> best_cuts() override;
  std::vector<std::int32_t> choose_batch(const NodeQueue& queue, std::size_t room) override;
  void cut(std::span<const NodeCut> cuts) override;
  void join(std::size_t node) override { rows_.join(node); }
  void assign_leaves(const GrownTree& tree, const std::vector<std::int32_t>& leaf_of_node,
                     std::uint32_t* leaf_of_row) const override;

 private:
  using Slot = HistogramPool::Slot;

  // A node whose best split is looked for.
  struct Search {
    std::size_t node;
    std::size_t filled;                  // the place of the histogram that is filled for it
    Slot parent = HistogramPool::kNone;  // if any, its own is this one less the filled one
  };

  // The features of a rank: consecutive blocks of them.
  struct Part {
    std::size_t first_block = 0;
    std::size_t blocks = 0;
    std::size_t first_bin = 0;
    std::size_t bins = 0;
  };

  GrownTree& tree() const { return growth_->tree; }
  void deal_features();
  const Part& mine() const { return parts_[static_cast<std::size_t>(space_.ranks().rank())]; }
  // Where the histogram of a block begins, of the i-th node that is filled: those of a rank's
  // features lie together.
  std::int32_t* filled(const FeatureBlock& block, std::size_t i);
  // The splits of a node that all features suggest, or the best of each rank.
  std::vector<std::vector<Split>> gather_splits(std::span<const Split> candidates) const;
  bool keeps_histogram(std::size_t node) const;
  void sum_children(std::span<const NodeCut> cuts);
  void plan_children(std::size_t parent);
  std::size_t add_filled(std::size_t node);
  void fill_histograms();
  void complete(const FeatureBlock& block, std::size_t i, std::size_t node);
  void search_splits();
  // `candidates`: of the features of this rank.
  void scan_block(const Search& search, const FeatureBlock& block, Split* candidates);
  void keep_histogram(const Search& search);

  const BinnedDataset& data_;
  RowSpace space_;
  const Growth* growth_ = nullptr;
  NodeRows rows_;
  FeatureBlocks blocks_;
  std::vector<Part> parts_;                 // of each rank
  std::vector<std::size_t> part_of_block_;  // the rank that scans it
  std::size_t numbers_ = 0;                 // in a whole histogram
  std::vector<std::size_t> filled_;         // nodes of this batch that are filled from their rows
  AlignedVector<std::int32_t> histograms_;  // of these, one after the other
  std::vector<Search> searches_;            // of this batch
  std::vector<Slot> slots_;                 // of each node
  HistogramPool pool_;
};

}  // namespace simplexboost
