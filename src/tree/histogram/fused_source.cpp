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
// do; and where nodes are so few that threads would find none, rows do.
constexpr std::size_t kSharedWork = 400'000;
constexpr std::size_t kSharedWorkOfManyBlocks = 40'000;
constexpr std::size_t kSharedWorkOfFewNodes = 100'000;
// Features of a block where threads would find too few wider ones; and blocks to a thread that are
// enough.
constexpr std::size_t kNarrow = 2;
constexpr std::size_t kBlocksOfAThread = 2;

}  // namespace

struct FusedSource::Siblings {
  std::int32_t small = -1;   // filled from its rows; -1: there is nothing to look for
  std::int32_t large = -1;   // its sibling, if wanted: parent minus small, or filled
  std::int32_t parent = -1;  // -1: small is the root
  std::int32_t* small_histogram = nullptr;  // whole, to be kept; null: scratch serves
  std::int32_t* large_histogram = nullptr;
  const std::int32_t* parent_histogram = nullptr;
  bool scan_small = true;
  bool summed = true;  // else the sums of both come of the histogram of `small`
  // Of each feature looked at where chance may prefer any of them, or threads share the features;
  // else the best of each block.
  bool all_splits = false;
  const FeatureBlocks* blocks = nullptr;  // by which it is looked for
  Split* small_splits = nullptr;
  Split* large_splits = nullptr;

  bool fill_large() const { return large >= 0 && parent_histogram == nullptr; }
  bool subtract() const { return large >= 0 && parent_histogram != nullptr; }
  // Of each of the two.
  std::size_t candidates() const { return all_splits ? blocks->features() : blocks->size(); }

  // No cut of any feature of a block, so far.
  void start(Split* splits, const FeatureBlock& block, std::size_t b) const {
    const std::size_t count = all_splits ? block.width() : 1;
    for (std::size_t f = 0; f < count; ++f) {
      Split& split = splits[all_splits ? block.places[f] : b];
      split = {};
      split.feature = block.features[f];
    }
  }
  void offer(Split* splits, const FeatureBlock& block, std::size_t b, std::size_t f,
             Split split) const {
    if (all_splits)
      splits[block.places[f]] = std::move(split);
    else if (worse(splits[b], split))
      splits[b] = std::move(split);
  }
};

FusedSource::FusedSource(const BinnedDataset& data, int threads)
    : data_(data),
      threads_(threads),
      parts_(std::max(threads, 1)),
      scratch_(static_cast<std::size_t>(std::max(threads, 1))) {}

void FusedSource::start(const Growth& growth) {
  growth_ = &growth;
  blocks_.plan(data_, growth.sample.features, tree().channels);
  const bool few = threads_ > 1 && !blocks_.many(threads_) && !blocks_.sparse();
  narrow_.plan(data_, growth.sample.features, tree().channels,
               few ? std::max<std::size_t>(blocks_.features() / kNarrow, 1) : 1);
  rows_.start(growth, threads_);
  if (growth.node_stats) growth.node_stats->enter(tree(), 0);
  tree().totals[kCountChannel] = static_cast<std::int32_t>(rows_.count(0));
  root_sums_late_ = may_split(0) && sums_of_histogram(0, threads_);
  if (!root_sums_late_) sum_root();
  slots_.assign(1, HistogramPool::kNone);
  // Keep the memory, forget the use: the shape of the statistics may have changed.
  pool_.reset(blocks_.bins() * tree().channels, growth.options.histogram_memory);
}

void FusedSource::sum_root() {
  rows_.sum(0, threads_, tree().totals.data());
  growth_->judge_root();
}

void FusedSource::split_root() {
  Siblings root = plan_search(0, -1, HistogramPool::kNone);
  root.summed = !root_sums_late_;
  find_splits(root, HistogramPool::kNone, threads_);
}

FusedSource::Scratch& FusedSource::scratch() {
  Scratch& own = scratch_[static_cast<std::size_t>(worker_index())];
  const std::size_t channels = tree().channels;
  own.zeros.resize(std::max(own.zeros.size(), blocks_.largest_block() * channels));
  own.spare.resize(2 * blocks_.largest_feature() * channels);
  own.left.resize(channels);
  return own;
}

bool FusedSource::keeps_histogram(std::int32_t i) const {
  return growth_->may_subtract(static_cast<std::size_t>(i)) && blocks_.subtraction_pays(count(i));
}

std::int32_t* FusedSource::keep(std::int32_t i) {
  slot(i) = pool_.take();
  return pool_.histogram(slot(i));
}

// With the histogram of a feature of the small child: its best split, and that of its sibling where
// it is what the small one leaves of the parent.
void FusedSource::scan_feature(const Siblings& siblings, std::size_t b, std::size_t f,
                               const std::int32_t* small, Scratch& scratch) {
  const std::size_t channels = tree().channels;
  const FeatureBlock& block = (*siblings.blocks)[b];
  const std::uint32_t feature = block.features[f];
  if (siblings.scan_small)
    siblings.offer(siblings.small_splits, block, b, f,
                   growth_->best_split(feature, static_cast<std::size_t>(siblings.small), small,
                                       scratch.left.data()));
  if (!siblings.subtract()) return;
  const std::size_t at = (block.first_bin + block.offsets[f]) * channels;
  std::int32_t* const out =
      siblings.large_histogram ? siblings.large_histogram + at : scratch.spare.data();
  kernels().subtract(out, siblings.parent_histogram + at, small,
                     data_.bins(feature).histogram_bins() * channels);
  siblings.offer(siblings.large_splits, block, b, f,
                 growth_->best_split(feature, static_cast<std::size_t>(siblings.large), out,
                                     scratch.left.data()));
}

// Calls use(f, histogram) for the features of a block, with what a node has in their bins. `kept`:
// where it stays; null: nowhere. `all`: for features too of which its rows have nothing but the
// default, and which can therefore not be cut.
template <class Use>
void FusedSource::with_histograms(const FeatureBlock& block, std::size_t node, std::int32_t* kept,
                                  bool all, Scratch& own, const Use& use) {
  const std::size_t channels = tree().channels;
  const std::size_t numbers = block.bins * channels;
  std::int32_t* const histogram = kept ? kept + block.first_bin * channels : own.zeros.data();
  if (kept) std::fill_n(histogram, numbers, 0);
  rows_.fill(block, node, histogram);
  const auto use_feature = [&](std::size_t f) {
    std::int32_t* const of_feature = histogram + block.offsets[f] * channels;
    rows_.complete(block, f, tree().total(node), of_feature);
    use(f, of_feature);
  };
  if (!all && !kept && rows_.few_touched(block, node)) {
    rows_.touched(block, node, own.touched);
    for (const std::uint32_t f : own.touched) use_feature(f);
    rows_.clear(block, node, histogram);
    for (const std::uint32_t f : own.touched)
      std::fill_n(
          histogram + (block.offsets[f] + data_.bins(block.features[f]).default_bin) * channels,
          channels, 0);
    return;
  }
  for (std::size_t f = 0; f < block.width(); ++f) use_feature(f);
  if (kept) return;
  if (block.sparse)
    std::fill_n(histogram, numbers, 0);
  else
    rows_.clear(block, node, histogram);
}

void FusedSource::search_block(std::size_t b, const Siblings& siblings) {
  const FeatureBlock& block = (*siblings.blocks)[b];
  Scratch& own = scratch();
  bool sums_wanted = !siblings.summed && b == 0;
  if (siblings.scan_small) siblings.start(siblings.small_splits, block, b);
  if (siblings.large >= 0) siblings.start(siblings.large_splits, block, b);
  with_histograms(block, static_cast<std::size_t>(siblings.small), siblings.small_histogram,
                  siblings.subtract(), own, [&](std::size_t f, const std::int32_t* small) {
                    if (std::exchange(sums_wanted, false))
                      take_sums(siblings, small, data_.bins(block.features[f]).histogram_bins());
                    scan_feature(siblings, b, f, small, own);
                  });
  if (!siblings.fill_large()) return;
  const auto large_node = static_cast<std::size_t>(siblings.large);
  with_histograms(block, large_node, siblings.large_histogram, false, own,
                  [&](std::size_t f, const std::int32_t* large) {
                    siblings.offer(
                        siblings.large_splits, block, b, f,
                        growth_->best_split(block.features[f], large_node, large, own.left.data()));
                  });
}

// use(block, f) for each feature looked at, by all threads where bins are many.
template <class Use>
void FusedSource::for_features(const Use& use) {
  constexpr std::size_t kWorkOfABin = 32;  // adding up parts, and two scans
  const std::size_t work = blocks_.bins() * kWorkOfABin * (tree().channels / 4);
  parallel_for(work < kParallelWork ? 1 : threads_, blocks_.features(), [&](std::size_t i) {
    const std::size_t b = blocks_.block_of(i);
    use(b, i - blocks_[b].first);
  });
}

// Threads share the rows, and then the features.
void FusedSource::search_by_rows(const Siblings& siblings, std::size_t parts) {
  const std::size_t channels = tree().channels;
  const auto place = [&](std::int32_t* kept, std::size_t b, std::size_t f, Scratch& own) {
    const FeatureBlock& block = blocks_[b];
    return kept ? kept + (block.first_bin + block.offsets[f]) * channels
                : own.spare.data() + blocks_.largest_feature() * channels;
  };
  parts_.fill(blocks_, rows_, static_cast<std::size_t>(siblings.small), parts, channels);
  if (!siblings.summed) {
    parts_.total(tree().totals.data() + static_cast<std::size_t>(siblings.small) * channels);
    judge(siblings);
  }
  for_features([&](std::size_t b, std::size_t f) {
    Scratch& own = scratch();
    std::int32_t* const small = place(siblings.small_histogram, b, f, own);
    parts_.add_up(b, f, small);
    rows_.complete(blocks_[b], f, tree().total(static_cast<std::size_t>(siblings.small)), small);
    scan_feature(siblings, b, f, small, own);
  });
  if (!siblings.fill_large()) return;
  const auto large_node = static_cast<std::size_t>(siblings.large);
  parts_.fill(blocks_, rows_, large_node, parts, channels);
  for_features([&](std::size_t b, std::size_t f) {
    Scratch& own = scratch();
    std::int32_t* const large = place(siblings.large_histogram, b, f, own);
    parts_.add_up(b, f, large);
    rows_.complete(blocks_[b], f, tree().total(large_node), large);
    siblings.offer(siblings.large_splits, blocks_[b], b, f,
                   growth_->best_split(blocks_[b].features[f], large_node, large, own.left.data()));
  });
}

std::vector<ChannelCut> FusedSource::best_cuts() {
  if (root_sums_late_) sum_root();
  const std::size_t channels = tree().channels;
  const std::size_t width = growth_->stats.width();
  const std::size_t parts = blocks_.row_parts(rows_.count(0), threads_);
  if (parts > 1) parts_.fill(blocks_, rows_, 0, parts, channels);
  std::vector<ChannelScan> found(blocks_.size(), ChannelScan(width));
  parallel_for(threads_, blocks_.size(), [&](std::size_t b) {
    const FeatureBlock& block = blocks_[b];
    AlignedVector<std::int32_t> histogram(block.bins * channels);
    for (std::size_t f = 0; parts > 1 && f < block.width(); ++f)
      parts_.add_up(b, f, histogram.data() + block.offsets[f] * channels);
    if (parts == 1) rows_.fill(block, 0, histogram.data());
    for (std::size_t f = 0; f < block.width(); ++f)
      rows_.complete(block, f, tree().total(0), histogram.data() + block.offsets[f] * channels);
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
  Siblings siblings;
  siblings.small = first;
  if (second >= 0) {
    siblings.large = second;
    siblings.parent = node(first).parent;
    if (count(siblings.small) > count(siblings.large)) std::swap(siblings.small, siblings.large);
    if (!may_split(siblings.large)) siblings.large = -1;
  }
  siblings.scan_small = may_split(siblings.small);
  if (siblings.large < 0 && !siblings.scan_small) {
    siblings.small = -1;
    return siblings;
  }
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

// Wide ones, unless threads would find too few of them in so many nodes.
const FeatureBlocks& FusedSource::blocks_for(std::size_t nodes, int threads) const {
  const std::size_t enough = kBlocksOfAThread * static_cast<std::size_t>(threads);
  return threads > 1 && nodes * blocks_.size() < enough ? narrow_ : blocks_;
}

void FusedSource::find_splits(Siblings& siblings, Slot parent_slot, int threads) {
  if (siblings.small >= 0) {
    std::vector<Split>& candidates = scratch().candidates;
    const std::size_t parts = parts_of(siblings.small, threads);
    siblings.blocks = parts > 1 ? &blocks_ : &blocks_for(1, threads);
    siblings.all_splits = parts > 1 || growth_->by_chance();
    const std::size_t count = siblings.candidates();
    candidates.resize(std::max(candidates.size(), 2 * count));
    siblings.small_splits = candidates.data();
    siblings.large_splits = candidates.data() + count;
    if (parts > 1) {
      search_by_rows(siblings, parts);
    } else {
      parallel_for(threads, siblings.blocks->size(),
                   [&](std::size_t b) { search_block(b, siblings); });
    }
  }
  choose_splits(siblings, parent_slot);
}

void FusedSource::choose_splits(const Siblings& siblings, Slot parent_slot) {
  if (siblings.small >= 0) {
    const std::size_t count = siblings.candidates();
    if (siblings.scan_small)
      growth_->choose(static_cast<std::size_t>(siblings.small), {siblings.small_splits, count});
    if (siblings.large >= 0)
      growth_->choose(static_cast<std::size_t>(siblings.large), {siblings.large_splits, count});
  }
  const bool reused = siblings.large >= 0 && slot(siblings.large) == parent_slot;
  if (parent_slot >= 0 && !reused) pool_.give(parent_slot);
}

// Additions of a vector that cutting a node and looking for the cuts of its children takes,
// roughly: half of the rows, since the larger child comes by subtraction.
std::size_t FusedSource::work_of(std::int32_t i) const {
  const std::size_t rows = static_cast<std::size_t>(count(i)) / 2;
  return (blocks_.additions(rows) + 2 * blocks_.bins()) * (tree().channels / 4);
}

// Whether all threads find enough to do in a node of so much work.
bool FusedSource::shared_well(std::size_t work) const {
  return work >= (blocks_.many(threads_) ? kSharedWorkOfManyBlocks : kSharedWork);
}

// More than one where threads would find little to do in one alone. What is cut in vain changes
// nothing.
std::vector<std::int32_t> FusedSource::choose_batch(const NodeQueue& queue, std::size_t room) {
  std::vector<std::int32_t> batch{queue.top()};
  std::size_t work = work_of(batch[0]);
  const auto workers = static_cast<std::size_t>(std::max(threads_, 1));
  if (workers == 1 || growth_->node_stats || shared_well(work)) return batch;
  const std::size_t most = std::min(room, 2 * workers);
  for (const std::int32_t i : queue) {
    if (batch.size() == most) break;
    if (i == batch[0] || !node(i).leaf() || node(i).split.constant) continue;
    if (shared_well(work_of(i))) continue;
    batch.push_back(i);
    work += work_of(i);
  }
  const bool rows_shared =
      work_of(batch[0]) >= kSharedWorkOfFewNodes && parts_of(batch[0], threads_) > 1;
  if (work < kParallelWork || (rows_shared && batch.size() < workers)) batch.resize(1);
  return batch;
}

void FusedSource::cut(std::span<const NodeCut> cuts) {
  slots_.resize(tree().nodes.size(), HistogramPool::kNone);
  if (cuts.size() == 1)
    return cut_one(cuts[0], work_of(cuts[0].node) < kParallelWork ? 1 : threads_);
  if (!blocks_.sparse() && cuts.size() < kBlocksOfAThread * static_cast<std::size_t>(threads_))
    return cut_together(cuts);
  parallel_for(threads_, cuts.size(), [&](std::size_t i) { cut_one(cuts[i], 1); });
}

// Threads take nodes, and then blocks of features of all of them: too few nodes for each to be the
// work of one.
void FusedSource::cut_together(std::span<const NodeCut> cuts) {
  std::vector<Siblings> found(cuts.size());
  parallel_for(threads_, cuts.size(),
               [&](std::size_t i) { found[i] = part_and_plan(cuts[i], 1, true); });
  const FeatureBlocks& blocks = blocks_for(cuts.size(), threads_);
  std::vector<Split>& candidates = scratch().together;
  std::size_t count = 0;
  for (Siblings& siblings : found) {
    siblings.blocks = &blocks;
    siblings.all_splits = growth_->by_chance();
    count = siblings.candidates();
  }
  candidates.resize(std::max(candidates.size(), 2 * count * cuts.size()));
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    found[i].small_splits = candidates.data() + 2 * count * i;
    found[i].large_splits = found[i].small_splits + count;
  }
  parallel_for(threads_, cuts.size() * blocks.size(), [&](std::size_t task) {
    const Siblings& siblings = found[task / blocks.size()];
    if (siblings.small >= 0) search_block(task % blocks.size(), siblings);
  });
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    if (!cuts[i].search) continue;
    choose_splits(found[i], slot(cuts[i].node));
    slot(cuts[i].node) = HistogramPool::kNone;
  }
}

// A histogram has the sums of its node; only where threads fill several they come too late, and
// those of sparse features are made with them.
bool FusedSource::sums_of_histogram(std::int32_t i, int threads) const {
  return !growth_->node_stats && !blocks_.sparse() && blocks_.features() > 0 &&
         (threads <= 1 || parts_of(i, threads) > 1);
}

// Nodes may be cut at the same time. `sums_first`: those of the children are wanted before their
// histograms.
FusedSource::Siblings FusedSource::part_and_plan(const NodeCut& cut, int threads, bool sums_first) {
  const std::int32_t left = node(cut.node).left;
  rows_.part(cut.node, left, threads);
  count_children(cut.node);
  Siblings siblings;
  if (cut.search) siblings = plan_search(left, left + 1, slot(cut.node));
  siblings.summed = sums_first || siblings.small < 0 || !sums_of_histogram(siblings.small, threads);
  if (siblings.summed) {
    sum_children(cut.node, threads);
    growth_->judge_children(static_cast<std::size_t>(cut.node));
  }
  return siblings;
}

void FusedSource::cut_one(const NodeCut& cut, int threads) {
  Siblings siblings = part_and_plan(cut, threads, false);
  if (!cut.search) return;
  find_splits(siblings, slot(cut.node), threads);
  slot(cut.node) = HistogramPool::kNone;
}

void FusedSource::assign_leaves(const GrownTree& tree,
                                const std::vector<std::int32_t>& leaf_of_node,
                                std::uint32_t* leaf_of_row) const {
  simplexboost::assign_leaves(tree, leaf_of_node, data_, threads_, leaf_of_row);
}

void FusedSource::count_children(std::int32_t parent) {
  const auto first = static_cast<std::size_t>(node(parent).left);
  for (const std::size_t child : {first, first + 1})
    tree().totals[child * tree().channels + kCountChannel] =
        static_cast<std::int32_t>(rows_.count(child));
}

// The larger child has what the smaller one leaves of the parent, unless each node has statistics
// of its own.
void FusedSource::sum_children(std::int32_t parent, int threads) {
  const auto first = static_cast<std::size_t>(node(parent).left);
  const std::size_t channels = tree().channels;
  std::int32_t* const totals = tree().totals.data();
  if (growth_->node_stats) {
    for (const std::size_t child : {first, first + 1}) {
      growth_->node_stats->enter(tree(), child);
      rows_.sum(child, threads, totals + child * channels);
    }
    return;
  }
  const bool left_small = rows_.count(first) <= rows_.count(first + 1);
  const std::size_t small = first + (left_small ? 0 : 1);
  rows_.sum(small, threads, totals + small * channels);
  leave_rest(parent, small);
}

// What a child leaves of its parent is its sibling's.
void FusedSource::leave_rest(std::int32_t parent, std::size_t child) {
  const auto first = static_cast<std::size_t>(node(parent).left);
  const std::size_t channels = tree().channels;
  std::int32_t* const own = tree().totals.data() + child * channels;
  std::int32_t* const other = tree().totals.data() + (2 * first + 1 - child) * channels;
  const std::int32_t* const whole = tree().total(static_cast<std::size_t>(parent));
  for (std::size_t j = 0; j < channels; ++j) other[j] = whole[j] - own[j];
}

// Those of the bins of a feature: each row is in one of them.
void FusedSource::take_sums(const Siblings& siblings, const std::int32_t* histogram,
                            std::size_t bins) {
  const std::size_t channels = tree().channels;
  std::int32_t* const own =
      tree().totals.data() + static_cast<std::size_t>(siblings.small) * channels;
  std::fill_n(own, channels, 0);
  kernels().add_bins(histogram, bins, channels, own);
  judge(siblings);
}

// The filled child has its sums: so has the other one. Or the root has.
void FusedSource::judge(const Siblings& siblings) {
  if (siblings.parent < 0) return growth_->judge_root();
  leave_rest(siblings.parent, static_cast<std::size_t>(siblings.small));
  growth_->judge_children(static_cast<std::size_t>(siblings.parent));
}

}  // namespace simplexboost
