#include "tree/histogram/whole_source.h"

#include <algorithm>

#include "base/threads/parallel.h"
#include "tree/leaf/leaf_assignment.h"

namespace simplexboost {
namespace {

// Numbers of the histograms that are filled and added up together: 128 MB.
constexpr std::size_t kBatchNumbers = std::size_t{1} << 25;

}  // namespace

WholeSource::WholeSource(const BinnedDataset& data, const RowSpace& space)
    : data_(data), space_(space) {}

void WholeSource::start(const Growth& growth) {
  growth_ = &growth;
  blocks_.plan(data_, growth.sample.features, tree().channels);
  numbers_ = blocks_.bins() * tree().channels;
  rows_.start(growth, space_.threads());
  if (growth.node_stats) growth.node_stats->enter(tree(), 0);
  rows_.sum(0, space_.threads(), tree().totals.data());
  space_.add_up(std::span<std::int32_t>(tree().totals));
  growth.judge_root();
  slots_.assign(1, HistogramPool::kNone);
  pool_.reset(numbers_, growth.options.histogram_memory);
}

void WholeSource::split_root() {
  filled_ = {0};
  searches_ = {{0, 0}};
  search_splits();
}

std::vector<ChannelCut> WholeSource::best_cuts() {
  filled_ = {0};
  fill_histograms();
  const std::size_t width = growth_->stats.width();
  std::vector<ChannelScan> found(blocks_.size(), ChannelScan(width));
  parallel_for(space_.threads(), blocks_.size(), [&](std::size_t b) {
    found[b].add(*growth_, blocks_[b], histograms_.data() + blocks_[b].first_bin * tree().channels);
  });
  ChannelScan best(width);
  for (const ChannelScan& one : found) best.merge(one);
  return best.cuts(tree().total(0));
}

// Level by level all nodes that wait will be cut: as many at once as memory allows, since every
// exchange with the other ranks takes its time. Best first, the next one may come out of the last.
std::vector<std::int32_t> WholeSource::choose_batch(const NodeQueue& queue, std::size_t room) {
  if (growth_->options.best_first || growth_->node_stats) return {queue.top()};
  const std::size_t most = std::clamp<std::size_t>(kBatchNumbers / (2 * numbers_), 1, room);
  std::vector<std::int32_t> batch;
  for (const std::int32_t i : queue) {
    if (batch.size() == most) break;
    const GrownNode& node = tree().nodes[static_cast<std::size_t>(i)];
    if (node.leaf() && !node.split.constant) batch.push_back(i);
  }
  return batch;
}

void WholeSource::cut(std::span<const NodeCut> cuts) {
  slots_.resize(tree().nodes.size(), HistogramPool::kNone);
  for (const NodeCut& cut : cuts)
    rows_.part(cut.node, tree().nodes[static_cast<std::size_t>(cut.node)].left, space_.threads());
  sum_children(cuts);
  filled_.clear();
  searches_.clear();
  for (const NodeCut& cut : cuts) {
    const auto node = static_cast<std::size_t>(cut.node);
    growth_->judge_children(node);
    if (cut.search) plan_children(node);
  }
  search_splits();
}

// The right child has what the left one leaves of the parent, unless each node has statistics of
// its own.
void WholeSource::sum_children(std::span<const NodeCut> cuts) {
  const std::size_t channels = tree().channels;
  std::int32_t* const totals = tree().totals.data();
  const auto left_of = [&](const NodeCut& cut) {
    return static_cast<std::size_t>(tree().nodes[static_cast<std::size_t>(cut.node)].left);
  };
  if (growth_->node_stats) {
    const std::size_t left = left_of(cuts[0]);
    for (const std::size_t child : {left, left + 1}) {
      growth_->node_stats->enter(tree(), child);
      rows_.sum(child, space_.threads(), totals + child * channels);
    }
    space_.add_up(std::span<std::int32_t>(totals + left * channels, 2 * channels));
    return;
  }
  AlignedVector<std::int32_t> sums(cuts.size() * channels);
  parallel_for(space_.threads(), cuts.size(),
               [&](std::size_t i) { rows_.sum(left_of(cuts[i]), 1, sums.data() + i * channels); });
  space_.add_up(std::span<std::int32_t>(sums));
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const std::size_t left = left_of(cuts[i]);
    const std::int32_t* const whole = tree().total(static_cast<std::size_t>(cuts[i].node));
    for (std::size_t j = 0; j < channels; ++j) {
      totals[left * channels + j] = sums[i * channels + j];
      totals[(left + 1) * channels + j] = whole[j] - sums[i * channels + j];
    }
  }
}

bool WholeSource::keeps_histogram(std::size_t node) const {
  return growth_->may_subtract(node) && blocks_.subtraction_pays(tree().count(node));
}

std::size_t WholeSource::add_filled(std::size_t node) {
  filled_.push_back(node);
  return filled_.size() - 1;
}

// The child of fewer rows is filled, the other one found by subtraction where the parent's
// histogram was kept.
void WholeSource::plan_children(std::size_t parent) {
  auto small = static_cast<std::size_t>(tree().nodes[parent].left);
  std::size_t large = small + 1;
  if (tree().count(small) > tree().count(large)) std::swap(small, large);
  const Slot slot = std::exchange(slots_[parent], HistogramPool::kNone);
  const bool look_at_large = growth_->may_split(large);
  if (!look_at_large || slot == HistogramPool::kNone) {
    if (slot != HistogramPool::kNone) pool_.give(slot);
    for (const std::size_t child : {small, large})
      if (growth_->may_split(child)) searches_.push_back({child, add_filled(child)});
    return;
  }
  const std::size_t filled = add_filled(small);
  if (growth_->may_split(small)) searches_.push_back({small, filled});
  searches_.push_back({large, filled, slot});
}

void WholeSource::fill_histograms() {
  histograms_.resize(filled_.size() * numbers_);
  const std::size_t channels = tree().channels;
  parallel_for(space_.threads(), filled_.size() * blocks_.size(), [&](std::size_t task) {
    const FeatureBlock& block = blocks_[task % blocks_.size()];
    const std::size_t i = task / blocks_.size();
    std::int32_t* const histogram = histograms_.data() + i * numbers_ + block.first_bin * channels;
    std::fill(histogram, histogram + block.bins * channels, 0);
    rows_.fill(block, filled_[i], histogram);
  });
  space_.add_up(std::span<std::int32_t>(histograms_));
}

void WholeSource::search_splits() {
  fill_histograms();
  const std::size_t features = blocks_.features();
  std::vector<Split> candidates(searches_.size() * features);
  parallel_for(space_.threads(), searches_.size() * blocks_.size(), [&](std::size_t task) {
    const std::size_t s = task / blocks_.size();
    scan_block(searches_[s], blocks_[task % blocks_.size()], candidates.data() + s * features);
  });
  for (std::size_t s = 0; s < searches_.size(); ++s) {
    growth_->choose(searches_[s].node, {candidates.data() + s * features, features});
    keep_histogram(searches_[s]);
  }
}

void WholeSource::scan_block(const Search& search, const FeatureBlock& block, Split* candidates) {
  const std::size_t channels = tree().channels;
  const std::size_t at = block.first_bin * channels;
  const std::int32_t* histogram = histograms_.data() + search.filled * numbers_ + at;
  if (search.parent != HistogramPool::kNone) {
    std::int32_t* const rest = pool_.histogram(search.parent) + at;
    kernels().subtract(rest, rest, histogram, block.bins * channels);
    histogram = rest;
  }
  AlignedVector<std::int32_t> left(channels);
  for (std::size_t f = 0; f < block.width(); ++f)
    candidates[block.first + f] = growth_->best_split(
        block.features[f], search.node, histogram + block.offsets[f] * channels, left.data());
}

void WholeSource::keep_histogram(const Search& search) {
  Slot slot = search.parent;
  if (!keeps_histogram(search.node)) {
    if (slot != HistogramPool::kNone) pool_.give(slot);
    return;
  }
  if (slot == HistogramPool::kNone) {
    slot = pool_.take();
    if (slot != HistogramPool::kNone)
      std::copy_n(histograms_.data() + search.filled * numbers_, numbers_, pool_.histogram(slot));
  }
  slots_[search.node] = slot;
}

void WholeSource::assign_leaves(const GrownTree& tree,
                                const std::vector<std::int32_t>& leaf_of_node,
                                std::uint32_t* leaf_of_row) const {
  simplexboost::assign_leaves(tree, leaf_of_node, data_, space_.threads(), leaf_of_row);
}

}  // namespace simplexboost
