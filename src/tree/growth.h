// The tree that is being grown: what it is grown from, by which rules, and what all who grow it
// must judge alike. Counts of rows are those of all ranks together, so that all of them decide the
// same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/communicator.h"
#include "data/binned_dataset.h"
#include "simplexboost/weak_learner.h"
#include "tree/grown_tree.h"
#include "tree/histogram/row_stats.h"
#include "tree/split/categorical_split.h"
#include "tree/split/interactions.h"
#include "tree/split/monotone_cuts.h"
#include "tree/split/split.h"
#include "tree/split/split_chance.h"

namespace simplexboost {

struct GrowthOptions {
  bool best_first = false;  // else level by level
  int max_depth = 0;        // 0: no limit
  int max_leaves = 0;       // 0: no limit
  int min_rows = 1;         // in a leaf
  double min_weight = 0;    // in a leaf
  double min_gain = 0;      // a cut must gain more than this
  CategoricalSplits categorical = CategoricalSplits::kSubset;
  std::size_t node_features = 0;               // drawn anew for each node; 0: all
  bool drawn_thresholds = false;               // numeric features are cut at places drawn at random
  std::size_t filters = 0;                     // of images, drawn anew for each node
  int filter_threads = 1;                      // that look at these
  Communicator* filter_ranks = nullptr;        // that have rows; null: there are no others
  const Interactions* interactions = nullptr;  // which features may come together; null: any
  const Monotone* monotone = nullptr;          // outputs that go one way; null: none
  bool stats_of_nodes = false;                 // there are NodeStats
  double histogram_memory = 0;  // MB for histograms that wait for their children; 0: some
};

// Votes (kVote) are "signed cuts": the left side takes -v and the right side +v, where v is set by
// the cut. A cut's score is the edge of that, and a node of such a tree stands with the
// vote of its parent's cut (icml2014, Figure 2, line 13). If no cut beats the constant vote
// (icml2014, Figure 3: BESTSTUMP starts from it), the node may still improve by voting for itself;
// that takes the place of a cut.
constexpr bool signed_cut(CriterionKind kind) { return kind == CriterionKind::kVote; }

// Statistics that each node has of its own, such as those of the classes that it looks at. They
// cannot be subtracted from those of its parent.
class NodeStats {
 public:
  virtual ~NodeStats() = default;
  // A node has its rows: sets their statistics. Called for the left child, then for the right one.
  virtual void enter(const GrownTree& tree, std::size_t node) = 0;
};

struct Growth {
  const BinnedDataset& data;
  const GrowthOptions& options;
  const RowStats& stats;
  const CriterionSpec& criterion;
  const Sample& sample;
  NodeStats* node_stats;  // null: the statistics are the same for all nodes
  SplitChance chance;
  GrownTree& tree;
  MonotoneCuts* monotone = nullptr;  // null: cuts are judged by the criterion alone

  bool too_deep(std::size_t node) const;
  // By its depth and rows.
  bool may_split(std::size_t node) const;
  // Whether children of its children may be looked for, by subtraction from its histogram.
  bool may_subtract(std::size_t node) const;

  // What a scan of a feature's histogram at a node needs.
  ScanArgs scan_args(std::uint32_t feature, std::size_t node, const std::int32_t* histogram) const;
  // The best split of a feature. `left` is scratch for one statistics vector.
  Split best_split(std::uint32_t feature, std::size_t node, const std::int32_t* histogram,
                   std::int32_t* left) const;
  // Gives the node the best of the features' splits; that of the first feature of equals, so that
  // threads do not matter. By chance: those of all features, in their order.
  void choose(std::size_t node, std::span<const Split> candidates) const;

  // As best_split, judged by what both sides may say.
  Split best_monotone_split(std::uint32_t feature, std::size_t node, const ScanArgs& args,
                            std::int32_t* left) const;

  // Whether it may be another than the best split that a node is given.
  bool by_chance() const { return options.node_features > 0 || chance.noise > 0; }
  // The best of them, or the best by chance.
  const Split* best_of(std::size_t node, std::span<const Split> candidates) const;

  // What follows from the sums of the root: its score before it is cut; and from those of the
  // children of a node that was cut: their scores, and where missing values go that it has not
  // seen.
  void judge_root() const;
  void judge_children(std::size_t node) const;
};

}  // namespace simplexboost
