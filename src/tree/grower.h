// Grows one tree on binned data. It knows statistics and a criterion, but no loss, no class and no
// learning rate; a scalar tree is one of width 1.
//
// The life of a grower:
//   1. made once for a training set; its buffers serve every tree;
//   2. grow() takes the statistics of a round and returns the structure and the rows of each leaf;
//   3. a leaf rule (leaf_rule.h) turns these into values, pack.h into a tree that predicts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned_vector.h"
#include "base/row_space.h"
#include "data/binned_dataset.h"
#include "tree/categorical_split.h"
#include "tree/channel_scan.h"
#include "tree/grown_tree.h"
#include "tree/histogram_pool.h"
#include "tree/row_partition.h"
#include "tree/row_stats.h"
#include "tree/split.h"

namespace simplexboost {

struct GrowthOptions {
  bool best_first = false;  // else level by level
  int max_depth = 0;        // 0: no limit
  int max_leaves = 0;       // 0: no limit
  int min_rows = 1;         // in a leaf
  double min_weight = 0;    // in a leaf
  double min_gain = 0;      // a cut must gain more than this
  CategoricalSplits categorical = CategoricalSplits::kSubset;
  double histogram_memory = 0;  // MB for histograms that wait for their children; 0: some
};

// Votes (kVote, kCoordinate) are "signed cuts": the left side takes -v and the right side +v, where
// v is set by the cut. A cut's score is the edge of that, and a node of such a tree stands with the
// vote of its parent's cut (icml2014, Figure 2, line 13). If no cut beats the constant vote
// (icml2014, Figure 3: BESTSTUMP starts from it), the node may still improve by voting for itself;
// that takes the place of a cut.
constexpr bool signed_cut(CriterionKind kind) {
  return kind == CriterionKind::kVote || kind == CriterionKind::kCoordinate;
}

// Statistics that each node has of its own, such as those of the classes that it looks at. They
// cannot be subtracted from those of its parent.
class NodeStats {
 public:
  virtual ~NodeStats() = default;
  // A node has its rows: sets their statistics. Called for the left child, then for the right one.
  virtual void enter(const GrownTree& tree, std::size_t node) = 0;
};

class TreeGrower {
 public:
  // `data`: the rows of `space` that are here; it must outlive the grower.
  TreeGrower(const BinnedDataset& data, const RowSpace& space, const GrowthOptions& options);

  // The result refers to the grower's rows: it is valid until the next call. `node_stats`: sets
  // `stats` for each node.
  const GrownTree& grow(const RowStats& stats, const CriterionSpec& criterion,
                        const Sample& sample = {}, NodeStats* node_stats = nullptr);

  // The best vote of a cut for each pull on its own (kVote of that channel), all of them from one
  // histogram. Where no cut beats the constant vote, the split is `constant`.
  std::vector<ChannelCut> best_cuts(const RowStats& stats, const Sample& sample = {});

  const BinnedDataset& data() const { return data_; }

 private:
  // Features of one group whose histograms are filled in one pass.
  struct Block {
    std::size_t group;
    std::size_t first;                        // index of the first feature among those looked at
    std::size_t first_bin;                    // in a whole histogram
    std::size_t bins = 0;                     // together
    std::vector<std::uint32_t> offsets = {};  // of each feature, in bins from first_bin
    std::vector<std::uint32_t> features = {};
    std::vector<std::uint32_t> columns = {};  // of each feature, from the first

    std::size_t width() const { return features.size(); }
  };
  struct Family;  // a node or two siblings whose splits are looked for together
  struct Scratch {
    AlignedVector<std::int32_t> zeros;  // a histogram of a block; all zero between uses
    AlignedVector<std::int32_t> spare;  // a histogram of a feature
    AlignedVector<std::int32_t> left;   // one statistics vector
    std::vector<Split> candidates;      // features x 2
  };
  using Slot = HistogramPool::Slot;
  class Queue;

  void plan_blocks(std::span<const std::uint32_t> features);
  void start_tree(const Sample& sample);
  bool too_deep(const GrownNode& node) const;
  bool may_split(const GrownNode& node) const;
  bool keeps_histogram(const GrownNode& node) const;
  void find_splits(std::int32_t first, std::int32_t second, Slot parent_slot, int threads);
  void search_block(const Block& block, const Family& family, Scratch& scratch);
  void fill(const Block& block, const GrownNode& node, std::int32_t* histogram) const;
  void clear(const Block& block, const GrownNode& node, std::int32_t* histogram) const;
  template <class Use>
  void with_rows(const Block& block, const GrownNode& node, std::int32_t* histogram,
                 const Use& use) const;
  Split scan(std::uint32_t feature, std::int32_t node, const std::int32_t* histogram,
             std::int32_t* left) const;
  void choose(std::int32_t node, std::span<const Split> candidates);
  std::size_t work_of(const GrownNode& node) const;
  void add_children(std::int32_t node);
  void prepare_some(const Queue& queue);
  void prepare(std::int32_t node, bool search, int threads);
  void take(std::int32_t node);
  void drop_untaken();
  void set_children_scores(std::int32_t parent);

  const BinnedDataset& data_;
  RowSpace space_;
  GrowthOptions options_;
  const RowStats* stats_ = nullptr;
  const CriterionSpec* criterion_ = nullptr;
  NodeStats* node_stats_ = nullptr;
  GrownTree tree_;
  RowPartition partition_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> offsets_;  // first bin of each looked-at feature
  std::size_t total_bins_ = 0;
  std::size_t largest_block_ = 0;    // bins
  std::size_t largest_feature_ = 0;  // bins
  std::size_t feature_count_ = 0;    // looked at
  int open_leaves_ = 0;

  // When each node came to be part of the tree, counting from 0; -1: it has not, or not yet.
  std::vector<std::int32_t> order_;
  std::int32_t taken_ = 0;
  std::vector<Slot> slot_;  // of each node; -1: none
  HistogramPool pool_;
  std::vector<Scratch> scratch_;  // a thread each
};

}  // namespace simplexboost
