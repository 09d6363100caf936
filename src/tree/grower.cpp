#include "tree/grower.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "tree/histogram/fused_source.h"
#include "tree/histogram/gathered_source.h"
#include "tree/histogram/whole_source.h"

namespace simplexboost {
namespace {

std::unique_ptr<HistogramSource> make_source(const BinnedDataset& data, const RowSpace& space,
                                             const GrowthOptions& options) {
  if (gathering_pays(data, space, options)) return std::make_unique<GatheredSource>(data, space);
  if (space.parted()) return std::make_unique<WholeSource>(data, space);
  return std::make_unique<FusedSource>(data, space.threads());
}

}  // namespace

TreeGrower::TreeGrower(const BinnedDataset& data, const RowSpace& space,
                       const GrowthOptions& options)
    : TreeGrower(data, options, make_source(data, space, options)) {}

TreeGrower::TreeGrower(const BinnedDataset& data, const GrowthOptions& options,
                       std::unique_ptr<HistogramSource> source)
    : data_(data), options_(options), source_(std::move(source)) {
  if (options.monotone) monotone_.emplace(*options.monotone);
}

void TreeGrower::start(const Growth& growth) {
  tree_.nodes.assign(1, {});
  tree_.channels = growth.stats.channels();
  tree_.totals.assign(tree_.channels, 0);
  open_leaves_ = 1;
  order_.assign(1, 0);
  taken_ = 1;
  source_->start(growth);
}

std::vector<ChannelCut> TreeGrower::best_cuts(const RowStats& stats, const Sample& sample) {
  const CriterionSpec criterion = stats.criterion(CriterionKind::kVote, 0);
  const Growth growth{data_, options_, stats, criterion, sample, nullptr, {}, tree_};
  start(growth);
  return source_->best_cuts();
}

// Cuts the first node of the queue, and maybe others before their turn.
void TreeGrower::cut_some(const NodeQueue& queue) {
  const auto room =
      static_cast<std::size_t>(options_.max_leaves == 0 ? std::numeric_limits<int>::max()
                                                        : options_.max_leaves - open_leaves_);
  std::vector<NodeCut> cuts;
  for (const std::int32_t node : source_->choose_batch(queue, room)) {
    // Where no more leaves may come, nobody asks for the children's splits.
    cuts.push_back({node, room > cuts.size() + 1});
    const std::size_t left = tree_.nodes.size();
    tree_.nodes[static_cast<std::size_t>(node)].left = static_cast<std::int32_t>(left);
    tree_.nodes.resize(left + 2);
    order_.resize(left + 2, -1);
    tree_.totals.resize((left + 2) * tree_.channels);
    if (monotone_) monotone_->resize(left + 2);
  }
  source_->cut(cuts);
}

// The children of a node that was cut become part of the tree.
void TreeGrower::take(std::int32_t index) {
  const auto left = static_cast<std::size_t>(tree_.nodes[static_cast<std::size_t>(index)].left);
  order_[left] = taken_++;
  order_[left + 1] = taken_++;
  ++open_leaves_;
}

// Leaves the tree as if only the nodes that were taken had ever been cut, in their order.
void TreeGrower::drop_untaken() {
  GrownTree& tree = tree_;
  const auto count = static_cast<std::size_t>(taken_);
  bool in_order = tree.nodes.size() == count;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    GrownNode& node = tree.nodes[i];
    in_order = in_order && order_[i] == static_cast<std::int32_t>(i);
    if (node.leaf() || order_[static_cast<std::size_t>(node.left)] >= 0) continue;
    source_->join(i);
    node.left = node.right = -1;
  }
  if (in_order) return;
  const auto moved = [&](std::int32_t i) {
    return i < 0 ? i : order_[static_cast<std::size_t>(i)];
  };
  std::vector<GrownNode> nodes(count);
  AlignedVector<std::int32_t> totals(count * tree.channels);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (order_[i] < 0) continue;
    const auto to = static_cast<std::size_t>(order_[i]);
    nodes[to] = std::move(tree.nodes[i]);
    nodes[to].parent = moved(nodes[to].parent);
    nodes[to].left = moved(nodes[to].left);
    nodes[to].right = moved(nodes[to].right);
    std::copy_n(tree.total(i), tree.channels, totals.data() + to * tree.channels);
  }
  tree.nodes = std::move(nodes);
  tree.totals = std::move(totals);
}

const GrownTree& TreeGrower::grow(const RowStats& stats, const CriterionSpec& criterion,
                                  const Sample& sample, const SplitChance& chance,
                                  NodeStats* node_stats) {
  assert(stats.rows() == data_.rows());
  MonotoneCuts* const monotone = monotone_ && monotone_->start(criterion) ? &*monotone_ : nullptr;
  const Growth growth{data_,      options_, stats, criterion, sample,
                      node_stats, chance,   tree_, monotone};
  start(growth);
  if (data_.features() == 0 || tree_.count(0) == 0) return tree_;

  NodeQueue queue(tree_, order_, options_.best_first);
  const double unit = stats.score_unit(criterion.kind);
  const auto push = [&](std::int32_t index) {
    const auto at = static_cast<std::size_t>(index);
    const GrownNode& node = tree_.nodes[at];
    // Too few rows for a cut may still vote for themselves.
    if (signed_cut(criterion.kind) && !node.split.valid() && !growth.too_deep(at))
      growth.choose(at, {});
    if (node.gain > 0 && node.gain * unit > options_.min_gain) queue.push(index);
  };
  if (growth.may_split(0)) source_->split_root();
  push(0);
  while (!queue.empty() && !full()) {
    const std::int32_t index = queue.top();
    const auto at = static_cast<std::size_t>(index);
    if (tree_.nodes[at].split.constant) {
      queue.pop();
      tree_.nodes[at].revoted = true;
      ++open_leaves_;  // takes the place of a cut
      continue;
    }
    if (tree_.nodes[at].leaf()) cut_some(queue);
    queue.pop();
    take(index);
    for (const std::int32_t child : {tree_.nodes[at].left, tree_.nodes[at].right}) {
      if (!full()) {
        push(child);
      } else {
        // It may have been looked at before its turn.
        GrownNode& leaf = tree_.nodes[static_cast<std::size_t>(child)];
        leaf.split = {};
        leaf.gain = 0;
      }
    }
  }
  drop_untaken();
  return tree_;
}

}  // namespace simplexboost
