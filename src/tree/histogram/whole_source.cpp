#include "tree/histogram/whole_source.h"

#include <algorithm>

#include "base/byte_stream.h"
#include "base/part_sums.h"
#include "base/threads/parallel.h"
#include "tree/leaf/leaf_assignment.h"

namespace simplexboost {
namespace {

// Numbers of the histograms that are filled and added up together: 128 MB.
constexpr std::size_t kBatchNumbers = std::size_t{1} << 25;

// For histograms that wait for their children where they are summed over ranks, unless told.
constexpr double kPartedMegabytes = 256;

// Nodes that are cut at a time where the best comes first.
constexpr std::size_t kAhead = 8;

// By features: blocks have the dense ones first.
std::vector<std::vector<Split>> by_feature(std::vector<std::vector<Split>> all) {
  const auto before = [](const Split& a, const Split& b) { return a.feature < b.feature; };
  for (std::vector<Split>& splits : all)
    if (!std::is_sorted(splits.begin(), splits.end(), before))
      std::sort(splits.begin(), splits.end(), before);
  return all;
}

}  // namespace

WholeSource::WholeSource(const BinnedDataset& data, const RowSpace& space)
    : data_(data), space_(space) {}

void WholeSource::start(const Growth& growth) {
  growth_ = &growth;
  const auto ranks = static_cast<std::size_t>(space_.ranks().size());
  blocks_.plan(data_, growth.sample.features, tree().channels, ranks);
  deal_features();
  numbers_ = blocks_.bins() * tree().channels;
  rows_.start(growth, space_.threads());
  if (growth.node_stats) growth.node_stats->enter(tree(), 0);
  rows_.sum(0, space_.threads(), tree().totals.data());
  space_.add_up(std::span<std::int32_t>(tree().totals));
  growth.judge_root();
  slots_.assign(1, HistogramPool::kNone);
  // As many on every rank, though some parts are smaller.
  std::size_t largest = 0;
  for (const Part& part : parts_) largest = std::max(largest, part.bins);
  const double given = growth.options.histogram_memory;
  pool_.reset(largest * tree().channels, given > 0 || !space_.parted() ? given : kPartedMegabytes);
}

// About as many bins for each rank.
void WholeSource::deal_features() {
  const auto ranks = static_cast<std::size_t>(space_.ranks().size());
  parts_.assign(ranks, {});
  part_of_block_.clear();
  std::size_t rank = 0;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const FeatureBlock& block = blocks_[b];
    const std::size_t middle = block.first_bin + block.bins / 2;
    while (rank + 1 < ranks && middle * ranks >= (rank + 1) * blocks_.bins()) ++rank;
    Part& part = parts_[rank];
    if (part.blocks++ == 0) part.first_block = b, part.first_bin = block.first_bin;
    part.bins += block.bins;
    part_of_block_.push_back(rank);
  }
  // Those without features: at the end of those before them.
  for (std::size_t r = 1; r < ranks; ++r)
    if (parts_[r].blocks == 0)
      parts_[r] = {parts_[r - 1].first_block + parts_[r - 1].blocks, 0,
                   parts_[r - 1].first_bin + parts_[r - 1].bins, 0};
}

std::int32_t* WholeSource::filled(const FeatureBlock& block, std::size_t i) {
  const Part& part = parts_[part_of_block_[static_cast<std::size_t>(&block - &blocks_[0])]];
  const std::size_t at =
      part.first_bin * filled_.size() + part.bins * i + (block.first_bin - part.first_bin);
  return histograms_.data() + at * tree().channels;
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
  std::vector<ChannelScan> found(mine().blocks, ChannelScan(width));
  parallel_for(space_.threads(), found.size(), [&](std::size_t b) {
    const FeatureBlock& block = blocks_[mine().first_block + b];
    complete(block, 0, 0);
    found[b].add(*growth_, block, filled(block, 0));
  });
  ChannelScan here(width);
  for (const ChannelScan& one : found) here.merge(one);
  if (!space_.parted()) return here.cuts(tree().total(0));
  ByteWriter writer;
  here.carry(writer);
  const std::vector<std::byte> bytes = space_.ranks().gather(writer.bytes());
  ByteReader reader(bytes);
  ChannelScan best(width);
  for (std::size_t r = 0; r < parts_.size(); ++r) {
    ChannelScan one(width);
    one.carry(reader);
    best.merge(one);
  }
  return best.cuts(tree().total(0));
}

// Level by level all nodes that wait will be cut: as many at once as memory allows, since every
// exchange with the other ranks takes its time. Best first, the next one may come out of the last:
// then those are cut ahead that come next most likely.
std::vector<std::int32_t> WholeSource::choose_batch(const NodeQueue& queue, std::size_t room) {
  if (growth_->node_stats) return {queue.top()};
  std::size_t most = std::clamp<std::size_t>(kBatchNumbers / (2 * numbers_), 1, room);
  if (growth_->options.best_first)
    most = std::clamp<std::size_t>(room / 2, 1, std::min(most, kAhead));
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

// What is subtracted need not be sent either, which takes longer than filling it.
bool WholeSource::keeps_histogram(std::size_t node) const {
  return growth_->may_subtract(node) &&
         (space_.parted() || blocks_.subtraction_pays(tree().count(node)));
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
  const std::size_t channels = tree().channels;
  histograms_.resize(filled_.size() * numbers_);
  parallel_for(space_.threads(), filled_.size() * blocks_.size(), [&](std::size_t task) {
    const FeatureBlock& block = blocks_[task % blocks_.size()];
    const std::size_t i = task / blocks_.size();
    std::int32_t* const histogram = filled(block, i);
    std::fill(histogram, histogram + block.bins * channels, 0);
    rows_.fill(block, filled_[i], histogram);
  });
  std::vector<std::size_t> ends;
  for (const Part& part : parts_)
    ends.push_back((part.first_bin + part.bins) * channels * filled_.size());
  sum_parts(space_.ranks(), std::span(histograms_), ends);
}

// The default bins of sparse features, when the sums of all ranks are there.
void WholeSource::complete(const FeatureBlock& block, std::size_t i, std::size_t node) {
  std::int32_t* const histogram = filled(block, i);
  for (std::size_t f = 0; f < block.width(); ++f)
    rows_.complete(block, f, tree().total(node), histogram + block.offsets[f] * tree().channels);
}

void WholeSource::search_splits() {
  if (searches_.empty()) return;
  fill_histograms();
  const Part& part = mine();
  parallel_for(space_.threads(), filled_.size() * part.blocks, [&](std::size_t task) {
    const std::size_t i = task / part.blocks;
    complete(blocks_[part.first_block + task % part.blocks], i, filled_[i]);
  });
  std::size_t features = 0;
  for (std::size_t b = 0; b < part.blocks; ++b) features += blocks_[part.first_block + b].width();
  std::vector<Split> candidates(searches_.size() * features);
  parallel_for(space_.threads(), searches_.size() * part.blocks, [&](std::size_t task) {
    const std::size_t s = task / part.blocks;
    scan_block(searches_[s], blocks_[part.first_block + task % part.blocks],
               candidates.data() + s * features);
  });
  const std::vector<std::vector<Split>> all = gather_splits(candidates);
  for (std::size_t s = 0; s < searches_.size(); ++s) {
    growth_->choose(searches_[s].node, all[s]);
    keep_histogram(searches_[s]);
  }
}

std::vector<std::vector<Split>> WholeSource::gather_splits(
    std::span<const Split> candidates) const {
  std::vector<std::vector<Split>> all(searches_.size());
  const std::size_t features = candidates.size() / searches_.size();
  const bool by_chance = growth_->by_chance();
  ByteWriter writer;
  for (std::size_t s = 0; s < all.size(); ++s) {
    const std::span<const Split> here = candidates.subspan(s * features, features);
    if (by_chance)
      all[s].assign(here.begin(), here.end());
    else if (const Split* const best = growth_->best_of(searches_[s].node, here))
      all[s] = {*best};
    writer(static_cast<std::uint64_t>(all[s].size()));
    for (Split& split : all[s]) carry_split(writer, split);
  }
  if (!space_.parted()) return by_feature(std::move(all));
  const std::vector<std::byte> bytes = space_.ranks().gather(writer.bytes());
  ByteReader reader(bytes);
  all.assign(all.size(), {});
  for (std::size_t r = 0; r < parts_.size(); ++r)
    for (std::vector<Split>& splits : all) {
      std::uint64_t count = 0;
      reader(count);
      for (std::uint64_t i = 0; i < count; ++i) carry_split(reader, splits.emplace_back());
    }
  return by_feature(std::move(all));
}

void WholeSource::scan_block(const Search& search, const FeatureBlock& block, Split* candidates) {
  const std::size_t channels = tree().channels;
  const std::int32_t* histogram = filled(block, search.filled);
  if (search.parent != HistogramPool::kNone) {
    std::int32_t* const rest =
        pool_.histogram(search.parent) + (block.first_bin - mine().first_bin) * channels;
    kernels().subtract(rest, rest, histogram, block.bins * channels);
    histogram = rest;
  }
  AlignedVector<std::int32_t> left(channels);
  const std::size_t first = block.first - blocks_[mine().first_block].first;
  for (std::size_t f = 0; f < block.width(); ++f)
    candidates[first + f] = growth_->best_split(
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
    if (slot != HistogramPool::kNone && mine().blocks > 0)
      std::copy_n(filled(blocks_[mine().first_block], search.filled), mine().bins * tree().channels,
                  pool_.histogram(slot));
  }
  slots_[search.node] = slot;
}

void WholeSource::assign_leaves(const GrownTree& tree,
                                const std::vector<std::int32_t>& leaf_of_node,
                                std::uint32_t* leaf_of_row) const {
  simplexboost::assign_leaves(tree, leaf_of_node, data_, space_.threads(), leaf_of_row);
}

}  // namespace simplexboost
