#include "tree/histogram/fused_source.h"

#include <algorithm>
#include <utility>

#include "base/threads/parallel.h"
#include "tree/leaf/leaf_assignment.h"

namespace simplexboost {
namespace {

// Work below this many (row, feature, vector) additions is not worth waking other threads for.
constexpr std::size_t kParallelWork = 20'000;
// Nodes of less work than this are left to one thread each, several at the same time; larger ones
// are shared by all threads. Many blocks of features share out well, even where there is less to
// do.
constexpr std::size_t kSharedWork = 400'000;
constexpr std::size_t kSharedWorkOfManyBlocks = 40'000;
constexpr std::size_t kManyBlocks = 4;  // to a thread

}  // namespace

struct FusedSource::Siblings {
  std::int32_t small;                       // filled from its rows
  std::int32_t large = -1;                  // its sibling, if wanted: parent minus small, or filled
  std::int32_t* small_histogram = nullptr;  // whole, to be kept; null: scratch serves
  std::int32_t* large_histogram = nullptr;
  const std::int32_t* parent_histogram = nullptr;
  bool scan_small = true;
  Split* small_splits = nullptr;  // of each feature looked at
  Split* large_splits = nullptr;
};

FusedSource::FusedSource(const BinnedDataset& data, int threads)
    : data_(data), threads_(threads), scratch_(static_cast<std::size_t>(std::max(threads, 1))) {}

void FusedSource::start(const Growth& growth) {
  growth_ = &growth;
  blocks_.plan(data_, growth.sample.features, tree().channels);
  rows_.start(growth);
  if (growth.node_stats) growth.node_stats->enter(tree(), 0);
  rows_.sum(0, tree().totals.data());
  growth.judge_root();
  slots_.assign(1, HistogramPool::kNone);
  // Keep the memory, forget the use: the shape of the statistics may have changed.
  pool_.reset(blocks_.bins() * tree().channels, growth.options.histogram_memory);
}

void FusedSource::split_root() { find_splits(0, -1, HistogramPool::kNone, threads_); }

bool FusedSource::keeps_histogram(std::int32_t i) const {
  return growth_->may_subtract(static_cast<std::size_t>(i)) && blocks_.subtraction_pays(count(i));
}

std::int32_t* FusedSource::keep(std::int32_t i) {
  slot(i) = pool_.take();
  return pool_.histogram(slot(i));
}

void FusedSource::search_block(const FeatureBlock& block, const Siblings& siblings,
                               Scratch& scratch) {
  const std::size_t channels = tree().channels;
  const std::size_t at = block.first_bin * channels;
  scratch.zeros.resize(std::max(scratch.zeros.size(), blocks_.largest_block() * channels));
  scratch.spare.resize(blocks_.largest_feature() * channels);
  scratch.left.resize(channels);
  std::int32_t* const left = scratch.left.data();
  const auto small_node = static_cast<std::size_t>(siblings.small);
  const auto large_node = static_cast<std::size_t>(siblings.large);
  std::int32_t* const small =
      siblings.small_histogram ? siblings.small_histogram + at : scratch.zeros.data();
  if (siblings.small_histogram) std::fill(small, small + block.bins * channels, 0);
  rows_.fill(block, small_node, small);
  std::int32_t* large = siblings.large_histogram ? siblings.large_histogram + at : nullptr;
  const bool fill_large = siblings.large >= 0 && siblings.parent_histogram == nullptr;
  for (std::size_t f = 0; f < block.width(); ++f) {
    const std::size_t from = block.offsets[f] * channels;
    const std::uint32_t feature = block.features[f];
    if (siblings.scan_small)
      siblings.small_splits[block.first + f] =
          growth_->best_split(feature, small_node, small + from, left);
    if (siblings.large < 0 || fill_large) continue;
    // The sibling of this feature while its parent is in the cache.
    std::int32_t* const out = large ? large + from : scratch.spare.data();
    kernels().subtract(out, siblings.parent_histogram + at + from, small + from,
                       data_.bins(feature).histogram_bins() * channels);
    siblings.large_splits[block.first + f] = growth_->best_split(feature, large_node, out, left);
  }
  if (!siblings.small_histogram) rows_.clear(block, small_node, small);
  if (!fill_large) return;
  if (large) {
    std::fill(large, large + block.bins * channels, 0);
  } else {
    large = scratch.zeros.data();
  }
  rows_.fill(block, large_node, large);
  for (std::size_t f = 0; f < block.width(); ++f)
    siblings.large_splits[block.first + f] = growth_->best_split(
        block.features[f], large_node, large + block.offsets[f] * channels, left);
  if (siblings.large_histogram == nullptr) rows_.clear(block, large_node, large);
}

std::vector<ChannelCut> FusedSource::best_cuts() {
  const std::size_t channels = tree().channels;
  const std::size_t width = growth_->stats.width();
  std::vector<ChannelScan> found(blocks_.size(), ChannelScan(width));
  parallel_for(threads_, blocks_.size(), [&](std::size_t b) {
    const FeatureBlock& block = blocks_[b];
    AlignedVector<std::int32_t> histogram(block.bins * channels);
    rows_.fill(block, 0, histogram.data());
    found[b].add(*growth_, block, histogram.data());
  });
  ChannelScan best(width);
  for (const ChannelScan& one : found) best.merge(one);
  return best.cuts(tree().total(0));
}

// Which of the two is filled from its rows and which is what it leaves of the parent, and whether
// their histograms are kept.
FusedSource::Siblings FusedSource::plan_search(std::int32_t first, std::int32_t second,
                                               Slot parent_slot) {
  Siblings siblings{first};
  if (second >= 0) {
    siblings.large = second;
    if (count(siblings.small) > count(siblings.large)) std::swap(siblings.small, siblings.large);
    if (!may_split(siblings.large)) siblings.large = -1;
  }
  siblings.scan_small = may_split(siblings.small);
  if (siblings.large < 0 && !siblings.scan_small) return siblings;
  siblings.parent_histogram = pool_.histogram(parent_slot);
  // A small child that cannot be cut is needed only where its sibling is found by subtraction.
  if (!siblings.scan_small && siblings.parent_histogram == nullptr) {
    siblings.small = siblings.large;
    siblings.large = -1;
    siblings.scan_small = true;
  }
  if (siblings.scan_small && keeps_histogram(siblings.small))
    siblings.small_histogram = keep(siblings.small);
  if (siblings.large >= 0 && keeps_histogram(siblings.large)) {
    if (parent_slot >= 0) {
      slot(siblings.large) = parent_slot;
      siblings.large_histogram = pool_.histogram(parent_slot);
      siblings.parent_histogram = siblings.large_histogram;
    } else {
      siblings.large_histogram = keep(siblings.large);
    }
  }
  return siblings;
}

void FusedSource::find_splits(std::int32_t first, std::int32_t second, Slot parent_slot,
                              int threads) {
  Siblings siblings = plan_search(first, second, parent_slot);
  if (siblings.scan_small || siblings.large >= 0) {
    std::vector<Split>& candidates = scratch_[static_cast<std::size_t>(worker_index())].candidates;
    candidates.resize(2 * blocks_.features());
    siblings.small_splits = candidates.data();
    siblings.large_splits = candidates.data() + blocks_.features();
    parallel_for(threads, blocks_.size(), [&](std::size_t b) {
      search_block(blocks_[b], siblings, scratch_[static_cast<std::size_t>(worker_index())]);
    });
    if (siblings.scan_small)
      growth_->choose(static_cast<std::size_t>(siblings.small),
                      {siblings.small_splits, blocks_.features()});
    if (siblings.large >= 0)
      growth_->choose(static_cast<std::size_t>(siblings.large),
                      {siblings.large_splits, blocks_.features()});
  }
  const bool reused = siblings.large >= 0 && slot(siblings.large) == parent_slot;
  if (parent_slot >= 0 && !reused) pool_.give(parent_slot);
}

// Additions of a vector that cutting a node and looking for the cuts of its children takes,
// roughly: half of the rows, since the larger child comes by subtraction.
std::size_t FusedSource::work_of(std::int32_t i) const {
  const std::size_t rows = static_cast<std::size_t>(count(i)) / 2;
  return (rows * blocks_.features() + 2 * blocks_.bins()) * (tree().channels / 4);
}

// More than one where threads would find little to do in one alone. What is cut in vain changes
// nothing.
std::vector<std::int32_t> FusedSource::choose_batch(const NodeQueue& queue, std::size_t room) {
  std::vector<std::int32_t> batch{queue.top()};
  std::size_t work = work_of(batch[0]);
  const auto workers = static_cast<std::size_t>(std::max(threads_, 1));
  const std::size_t shared =
      blocks_.size() >= kManyBlocks * workers ? kSharedWorkOfManyBlocks : kSharedWork;
  if (workers == 1 || growth_->node_stats || work >= shared) return batch;
  const std::size_t most = std::min(room, 2 * workers);
  for (const std::int32_t i : queue) {
    if (batch.size() == most) break;
    if (i == batch[0] || !node(i).leaf() || node(i).split.constant) continue;
    if (work_of(i) >= shared) continue;
    batch.push_back(i);
    work += work_of(i);
  }
  if (work < kParallelWork) batch.resize(1);
  return batch;
}

void FusedSource::cut(std::span<const NodeCut> cuts) {
  slots_.resize(tree().nodes.size(), HistogramPool::kNone);
  if (cuts.size() == 1)
    return cut_one(cuts[0], work_of(cuts[0].node) < kParallelWork ? 1 : threads_);
  parallel_for(threads_, cuts.size(), [&](std::size_t i) { cut_one(cuts[i], 1); });
}

// Nodes may be cut at the same time.
void FusedSource::cut_one(const NodeCut& cut, int threads) {
  const std::int32_t left = node(cut.node).left;
  rows_.part(cut.node, left, threads);
  sum_children(cut.node);
  growth_->judge_children(static_cast<std::size_t>(cut.node));
  if (!cut.search) return;
  find_splits(left, left + 1, slot(cut.node), threads);
  slot(cut.node) = HistogramPool::kNone;
}

void FusedSource::assign_leaves(const GrownTree& tree,
                                const std::vector<std::int32_t>& leaf_of_node,
                                std::uint32_t* leaf_of_row) const {
  simplexboost::assign_leaves(tree, leaf_of_node, data_, threads_, leaf_of_row);
}

// The larger child has what the smaller one leaves of the parent, unless each node has statistics
// of its own.
void FusedSource::sum_children(std::int32_t parent) {
  const auto first = static_cast<std::size_t>(node(parent).left);
  const std::size_t channels = tree().channels;
  std::int32_t* const totals = tree().totals.data();
  if (growth_->node_stats) {
    for (const std::size_t child : {first, first + 1}) {
      growth_->node_stats->enter(tree(), child);
      rows_.sum(child, totals + child * channels);
    }
    return;
  }
  const auto size = [&](std::size_t i) { return tree().nodes[i].end - tree().nodes[i].begin; };
  const bool left_small = size(first) <= size(first + 1);
  const std::size_t small = first + (left_small ? 0 : 1);
  const std::size_t large = first + (left_small ? 1 : 0);
  rows_.sum(small, totals + small * channels);
  const std::int32_t* const whole = tree().total(static_cast<std::size_t>(parent));
  for (std::size_t j = 0; j < channels; ++j)
    totals[large * channels + j] = whole[j] - totals[small * channels + j];
}

}  // namespace simplexboost
