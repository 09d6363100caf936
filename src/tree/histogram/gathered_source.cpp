#include "tree/histogram/gathered_source.h"

#include <algorithm>

#include "tree/leaf/leaf_assignment.h"

namespace simplexboost {
namespace {

// Of the bins of all rows, on every rank.
constexpr double kMostGatheredBytes = 256e6;

// Leaves of a tree that has no other bound than its rows.
constexpr double kManyLeaves = 64;

}  // namespace

// By the numbers of a channel, in those that are sent: WholeSource sends a histogram for every
// leaf; here those of the rows are sent, and every rank adds up all rows instead of its share.
// 32 additions of a row to a feature take as long as sending a number, by measurements in shared
// memory (docs/scale.md#few-rows).
bool gathering_pays(const BinnedDataset& data, const RowSpace& space,
                    const GrowthOptions& options) {
  constexpr double kAdditions = 32;
  if (!space.parted() || options.filters > 0 || options.stats_of_nodes || data.features() == 0)
    return false;
  const auto rows = static_cast<double>(space.all());
  const auto features = static_cast<double>(data.features());
  if (rows * features * (data.wide() ? 2 : 1) > kMostGatheredBytes) return false;
  double leaves = options.max_leaves > 0 ? options.max_leaves : kManyLeaves;
  if (options.max_depth > 0 && options.max_depth < 20)
    leaves = std::min(leaves, static_cast<double>(1 << options.max_depth));
  double bins = 0;
  for (const FeatureBins& feature : data.all_bins()) bins += feature.histogram_bins();
  return rows * (1 + features / kAdditions) < leaves * bins;
}

void GatheredSource::start(const Growth& growth) {
  growth_ = &growth;
  rows_.start(growth, space_.threads());
  if (!all_data_) {
    all_data_.emplace(data_, space_.ranks());
    source_.emplace(*all_data_, space_.threads());
  }
  all_stats_.gather(growth.stats, space_.ranks());
  drawn_.clear();
  for (const std::uint32_t row : growth.sample.rows)
    drawn_.push_back(row + static_cast<std::uint32_t>(space_.first()));
  const bool some = !growth.sample.all_rows();
  if (some) drawn_ = gather_values<std::uint32_t>(space_.ranks(), drawn_);
  all_sample_ = {drawn_, growth.sample.features, some};
  all_tree_.nodes.assign(1, {});
  all_tree_.channels = growth.tree.channels;
  all_tree_.totals.assign(growth.tree.channels, 0);
  all_growth_ = std::make_unique<const Growth>(Growth{*all_data_, growth.options, all_stats_,
                                                      growth.criterion, all_sample_, nullptr,
                                                      growth.chance, all_tree_, growth.monotone});
  source_->start(*all_growth_);
  take(0);
}

// What there is to know of a node, but for its rows.
void GatheredSource::take(std::size_t node) {
  GrownTree& tree = growth_->tree;
  const GrownNode& from = all_tree_.nodes[node];
  GrownNode& to = tree.nodes[node];
  to.split = from.split;
  to.current = from.current;
  to.gain = from.gain;
  std::copy_n(all_tree_.total(node), tree.channels, tree.totals.data() + node * tree.channels);
}

void GatheredSource::split_root() {
  source_->split_root();
  take(0);
}

std::vector<std::int32_t> GatheredSource::choose_batch(const NodeQueue& queue, std::size_t room) {
  // Some may vote for themselves since: these are not cut.
  for (const std::int32_t i : queue) {
    const auto node = static_cast<std::size_t>(i);
    all_tree_.nodes[node].split.constant = growth_->tree.nodes[node].split.constant;
  }
  return source_->choose_batch(queue, room);
}

void GatheredSource::cut(std::span<const NodeCut> cuts) {
  const GrownTree& tree = growth_->tree;
  all_tree_.nodes.resize(tree.nodes.size());
  all_tree_.totals.resize(tree.totals.size());
  for (const NodeCut& cut : cuts) {
    const auto node = static_cast<std::size_t>(cut.node);
    all_tree_.nodes[node].left = tree.nodes[node].left;
  }
  source_->cut(cuts);
  for (const NodeCut& cut : cuts) {
    const auto node = static_cast<std::size_t>(cut.node);
    const std::int32_t left = tree.nodes[node].left;
    rows_.part(cut.node, left, space_.threads());
    take(node);
    take(static_cast<std::size_t>(left));
    take(static_cast<std::size_t>(left) + 1);
  }
}

void GatheredSource::assign_leaves(const GrownTree& tree,
                                   const std::vector<std::int32_t>& leaf_of_node,
                                   std::uint32_t* leaf_of_row) const {
  simplexboost::assign_leaves(tree, leaf_of_node, data_, space_.threads(), leaf_of_row);
}

}  // namespace simplexboost
