// The source where rows are parted among ranks: it holds whole histograms of nodes, so that those
// of all ranks can be added up before they are scanned. What it does depends on sums over all ranks
// alone, so that all of them make the same calls.
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

  GrownTree& tree() const { return growth_->tree; }
  bool keeps_histogram(std::size_t node) const;
  void sum_children(std::span<const NodeCut> cuts);
  void plan_children(std::size_t parent);
  std::size_t add_filled(std::size_t node);
  void fill_histograms();
  void search_splits();
  void scan_block(const Search& search, const FeatureBlock& block, Split* candidates);
  void keep_histogram(const Search& search);

  const BinnedDataset& data_;
  RowSpace space_;
  const Growth* growth_ = nullptr;
  NodeRows rows_;
  FeatureBlocks blocks_;
  std::size_t numbers_ = 0;                 // in a whole histogram
  std::vector<std::size_t> filled_;         // nodes of this batch that are filled from their rows
  AlignedVector<std::int32_t> histograms_;  // of these, one after the other
  std::vector<Search> searches_;            // of this batch
  std::vector<Slot> slots_;                 // of each node
  HistogramPool pool_;
};

}  // namespace simplexboost
