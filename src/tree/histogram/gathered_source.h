// The source where rows are parted among ranks and are so few that their statistics are less to
// send than histograms: every rank has the bins of all rows, gets the statistics of all rows for
// each tree, and grows the whole tree by itself. Nothing else is exchanged, and since all sums are
// of integers all ranks find the same.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/row_space.h"
#include "tree/histogram/fused_source.h"
#include "tree/node_rows.h"

namespace simplexboost {

// Whether that is less work than WholeSource, by what all ranks know alone.
bool gathering_pays(const BinnedDataset& data, const RowSpace& space, const GrowthOptions& options);

class GatheredSource : public HistogramSource {
 public:
  // `data`: the rows of `space` that are here; it must outlive the source. Not for NodeStats, nor
  // for filters of images.
  GatheredSource(const BinnedDataset& data, const RowSpace& space) : data_(data), space_(space) {}

  void start(const Growth& growth) override;
  void split_root() override;
  std::vector<ChannelCut> best_cuts() override { return source_->best_cuts(); }
  std::vector<std::int32_t> choose_batch(const NodeQueue& queue, std::size_t room) override;
  void cut(std::span<const NodeCut> cuts) override;
  void join(std::size_t node) override { rows_.join(node); }
  void assign_leaves(const GrownTree& tree, const std::vector<std::int32_t>& leaf_of_node,
                     std::uint32_t* leaf_of_row) const override;

 private:
  void take(std::size_t node);

  const BinnedDataset& data_;
  RowSpace space_;
  const Growth* growth_ = nullptr;
  NodeRows rows_;  // those that are here
  // The same tree with the rows of all ranks.
  std::optional<BinnedDataset> all_data_;
  RowStats all_stats_;
  std::vector<std::uint32_t> drawn_;
  Sample all_sample_;
  GrownTree all_tree_;
  std::unique_ptr<const Growth> all_growth_;
  std::optional<FusedSource> source_;
};

}  // namespace simplexboost
