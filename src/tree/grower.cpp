#include "tree/grower.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "base/parallel.h"

namespace simplexboost {

struct TreeGrower::Family {
  std::int32_t small;                       // filled from its rows
  std::int32_t large = -1;                  // its sibling, if wanted: parent minus small, or filled
  std::int32_t* small_histogram = nullptr;  // whole, to be kept; null: scratch serves
  std::int32_t* large_histogram = nullptr;
  const std::int32_t* parent_histogram = nullptr;
  bool scan_small = true;
  Split* small_splits = nullptr;  // of each feature looked at
  Split* large_splits = nullptr;
};

// The nodes that may be cut, in the order in which they are.
class TreeGrower::Queue {
 public:
  explicit Queue(const TreeGrower& grower) : nodes_({&grower}) {}

  bool empty() const { return nodes_.empty(); }
  void push(std::int32_t node) { nodes_.insert(node); }
  std::int32_t top() const { return *nodes_.begin(); }
  void pop() { nodes_.erase(nodes_.begin()); }
  auto begin() const { return nodes_.begin(); }
  auto end() const { return nodes_.end(); }

 private:
  // By what does not depend on the numbers that nodes have while the tree grows.
  struct Before {
    const TreeGrower* grower;
    bool operator()(std::int32_t a, std::int32_t b) const {
      const auto i = static_cast<std::size_t>(a);
      const auto j = static_cast<std::size_t>(b);
      const float gain_a = grower->tree_.nodes[i].gain;
      const float gain_b = grower->tree_.nodes[j].gain;
      if (grower->options_.best_first && gain_a != gain_b) return gain_a > gain_b;
      return grower->order_[i] < grower->order_[j];
    }
  };
  std::set<std::int32_t, Before> nodes_;
};

namespace {

// Work below this many (row, feature, vector) additions is not worth waking other threads for.
constexpr std::size_t kParallelWork = 20'000;
// Nodes of less work than this are left to one thread each, several at the same time; larger ones
// are shared by all threads. Many blocks of features share out well, even where there is less to
// do.
constexpr std::size_t kSharedWork = 400'000;
constexpr std::size_t kSharedWorkOfManyBlocks = 40'000;
constexpr std::size_t kManyBlocks = 4;  // to a thread
// Rows to a bin from which keeping a histogram for subtraction pays (measured by bench/grow_tree on
// histograms of 26 kB to 20 MB): it costs passes over memory, where filling works in the cache.
constexpr std::size_t kSubtractionRows = 4;
// Scores are single-precision numbers: a gain of less than this share of them is rounding, and a
// node whose rows all want the same must not be cut for it.
constexpr float kLeastShare = 0x1p-20F;

}  // namespace

TreeGrower::TreeGrower(const BinnedDataset& data, const RowSpace& space,
                       const GrowthOptions& options)
    : data_(data), space_(space), options_(options) {
  scratch_.resize(static_cast<std::size_t>(std::max(space_.threads(), 1)));
}

void TreeGrower::plan_blocks(std::span<const std::uint32_t> features) {
  blocks_.clear();
  total_bins_ = 0;
  largest_block_ = 0;
  largest_feature_ = 0;
  const std::size_t count = features.empty() ? data_.features() : features.size();
  const std::size_t channels = stats_->channels();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t feature = features.empty() ? static_cast<std::uint32_t>(i) : features[i];
    const std::size_t group = feature / BinnedDataset::kGroup;
    const std::size_t bins = data_.bins(feature).histogram_bins();
    const bool joins = !blocks_.empty() && blocks_.back().group == group &&
                       fits_block(blocks_.back().width() + 1, blocks_.back().bins + bins, channels);
    if (!joins) blocks_.push_back({group, i, total_bins_});
    Block& block = blocks_.back();
    block.offsets.push_back(static_cast<std::uint32_t>(block.bins));
    block.features.push_back(feature);
    block.columns.push_back(feature - block.features[0]);
    block.bins += bins;
    total_bins_ += bins;
    largest_block_ = std::max(largest_block_, block.bins);
    largest_feature_ = std::max(largest_feature_, bins);
  }
  feature_count_ = count;
}

void TreeGrower::start_tree(const Sample& sample) {
  partition_.reset(data_.rows(), sample);
  tree_.nodes.assign(1, {});
  tree_.channels = stats_->channels();
  tree_.totals.assign(tree_.channels, 0);
  tree_.partition = &partition_;
  GrownNode& root = tree_.nodes[0];
  root.end = static_cast<std::uint32_t>(partition_.size());
  if (node_stats_) node_stats_->enter(tree_, 0);
  stats_->sum_rows(partition_.range(0, root.end), tree_.totals.data());
  if (!signed_cut(criterion_->kind))
    root.current = kernels().score(*criterion_, tree_.total(0), tree_.total(0));
  open_leaves_ = 1;
  slot_.assign(1, -1);
  order_.assign(1, 0);
  taken_ = 1;
  // Keep the memory, forget the use: the shape of the statistics may have changed.
  pool_.reset(total_bins_ * tree_.channels, options_.histogram_memory);
}

bool TreeGrower::too_deep(const GrownNode& node) const {
  return options_.max_depth > 0 && node.depth >= options_.max_depth;
}

bool TreeGrower::may_split(const GrownNode& node) const {
  if (too_deep(node)) return false;
  return node.end - node.begin >= 2 * static_cast<std::uint32_t>(std::max(options_.min_rows, 1));
}

// A histogram is worth keeping if the node may have grandchildren to look at, and has enough rows
// that subtraction beats filling the larger child anew.
bool TreeGrower::keeps_histogram(const GrownNode& node) const {
  if (node_stats_) return false;
  if (options_.max_depth > 0 && node.depth + 1 >= options_.max_depth) return false;
  return static_cast<std::size_t>(node.end - node.begin) * feature_count_ >
         kSubtractionRows * total_bins_;
}

// Calls use(args) with what the kernels need to walk a node's rows in a block.
template <class Use>
void TreeGrower::with_rows(const Block& block, const GrownNode& node, std::int32_t* histogram,
                           const Use& use) const {
  const std::span<const std::uint32_t> rows = partition_.range(node.begin, node.end);
  data_.visit([&]<class Bin>(const Bin*) {
    const auto values = data_.values<Bin>(block.features[0]);
    const bool packed = block.columns.back() + 1 != block.width();
    use(FillArgs<Bin>{values.data, values.stride, block.width(), block.offsets.data(),
                      stats_->data(), tree_.channels, partition_.identity() ? nullptr : rows.data(),
                      rows.size(), histogram, packed ? block.columns.data() : nullptr});
  });
}

void TreeGrower::fill(const Block& block, const GrownNode& node, std::int32_t* histogram) const {
  with_rows(block, node, histogram, [](const auto& args) { kernels().fill(args); });
}

// Leaves scratch as it must be found: all zero. A small node touches few of the bins.
void TreeGrower::clear(const Block& block, const GrownNode& node, std::int32_t* histogram) const {
  if ((node.end - node.begin) * block.width() < block.bins) {
    with_rows(block, node, histogram, [](const auto& args) { kernels().clear(args); });
  } else {
    std::fill(histogram, histogram + block.bins * tree_.channels, 0);
  }
}

Split TreeGrower::scan(std::uint32_t feature, std::int32_t node, const std::int32_t* histogram,
                       std::int32_t* left) const {
  const FeatureBins& bins = data_.bins(feature);
  const ScanArgs args{histogram,
                      bins.value_bins,
                      bins.has_missing,
                      tree_.total(static_cast<std::size_t>(node)),
                      criterion_,
                      std::max(options_.min_rows, 1),
                      static_cast<float>(options_.min_weight / stats_->weight_unit())};
  Split split;
  if (bins.type == FeatureType::kCategorical) {
    split = best_categorical_split(args, options_.categorical);
  } else {
    const ScanResult found = kernels().scan(args, left);
    split.score = found.score;
    split.bin = found.bin;
    split.missing_left = found.missing_left;
    split.missing_seen =
        bins.has_missing && histogram[bins.missing_bin() * tree_.channels + kCountChannel] > 0;
  }
  split.feature = feature;
  return split;
}

void TreeGrower::search_block(const Block& block, const Family& family, Scratch& scratch) {
  const std::size_t channels = tree_.channels;
  const std::size_t at = block.first_bin * channels;
  scratch.zeros.resize(std::max(scratch.zeros.size(), largest_block_ * channels));
  scratch.spare.resize(largest_feature_ * channels);
  scratch.left.resize(channels);
  std::int32_t* const left = scratch.left.data();
  const GrownNode& small_node = tree_.nodes[static_cast<std::size_t>(family.small)];
  std::int32_t* const small =
      family.small_histogram ? family.small_histogram + at : scratch.zeros.data();
  if (family.small_histogram) std::fill(small, small + block.bins * channels, 0);
  fill(block, small_node, small);
  std::int32_t* large = family.large_histogram ? family.large_histogram + at : nullptr;
  const bool fill_large = family.large >= 0 && family.parent_histogram == nullptr;
  for (std::size_t f = 0; f < block.width(); ++f) {
    const std::size_t from = block.offsets[f] * channels;
    const std::uint32_t feature = block.features[f];
    if (family.scan_small)
      family.small_splits[block.first + f] = scan(feature, family.small, small + from, left);
    if (family.large < 0 || fill_large) continue;
    // The sibling of this feature while its parent is in the cache.
    std::int32_t* const out = large ? large + from : scratch.spare.data();
    kernels().subtract(out, family.parent_histogram + at + from, small + from,
                       data_.bins(feature).histogram_bins() * channels);
    family.large_splits[block.first + f] = scan(feature, family.large, out, left);
  }
  if (!family.small_histogram) clear(block, small_node, small);
  if (!fill_large) return;
  const GrownNode& large_node = tree_.nodes[static_cast<std::size_t>(family.large)];
  if (large) {
    std::fill(large, large + block.bins * channels, 0);
  } else {
    large = scratch.zeros.data();
  }
  fill(block, large_node, large);
  for (std::size_t f = 0; f < block.width(); ++f)
    family.large_splits[block.first + f] =
        scan(block.features[f], family.large, large + block.offsets[f] * channels, left);
  if (family.large_histogram == nullptr) clear(block, large_node, large);
}

std::vector<ChannelCut> TreeGrower::best_cuts(const RowStats& stats, const Sample& sample) {
  const CriterionSpec criterion = stats.criterion(CriterionKind::kVote, 0);
  stats_ = &stats;
  criterion_ = &criterion;
  plan_blocks(sample.features);
  start_tree(sample);
  const std::size_t channels = tree_.channels;
  const ScanArgs root{nullptr,
                      0,
                      false,
                      tree_.total(0),
                      &criterion,
                      std::max(options_.min_rows, 1),
                      static_cast<float>(options_.min_weight / stats.weight_unit())};
  std::vector<ChannelScan> found(blocks_.size(), ChannelScan(stats.width()));
  parallel_for(space_.threads(), blocks_.size(), [&](std::size_t b) {
    const Block& block = blocks_[b];
    AlignedVector<std::int32_t> histogram(block.bins * channels);
    fill(block, tree_.nodes[0], histogram.data());
    for (std::size_t f = 0; f < block.width(); ++f) {
      const FeatureBins& bins = data_.bins(block.features[f]);
      ScanArgs args = root;
      args.histogram = histogram.data() + block.offsets[f] * channels;
      args.value_bins = bins.value_bins;
      args.has_missing = bins.has_missing;
      if (bins.type == FeatureType::kCategorical)
        found[b].add_categorical(args, block.features[f], options_.categorical);
      else
        found[b].add_numeric(args, block.features[f]);
    }
  });
  ChannelScan best(stats.width());
  for (const ChannelScan& one : found) best.merge(one);
  criterion_ = nullptr;
  return best.cuts(tree_.total(0));
}

void TreeGrower::find_splits(std::int32_t first, std::int32_t second, Slot parent_slot,
                             int threads) {
  const auto node = [&](std::int32_t i) -> GrownNode& {
    return tree_.nodes[static_cast<std::size_t>(i)];
  };
  const auto size = [&](std::int32_t i) { return node(i).end - node(i).begin; };
  Family family{first};
  if (second >= 0) {
    family.large = second;
    if (size(family.small) > size(family.large)) std::swap(family.small, family.large);
    if (!may_split(node(family.large))) family.large = -1;
  }
  family.scan_small = may_split(node(family.small));
  if (family.large < 0 && !family.scan_small) {
    if (parent_slot >= 0) pool_.give(parent_slot);
    return;
  }
  family.parent_histogram = pool_.histogram(parent_slot);
  // A small child that cannot be cut is needed only where its sibling is found by subtraction.
  if (!family.scan_small && family.parent_histogram == nullptr) {
    family.small = family.large;
    family.large = -1;
    family.scan_small = true;
  }
  const auto keep = [&](std::int32_t i) {
    const Slot slot = pool_.take();
    slot_[static_cast<std::size_t>(i)] = slot;
    return pool_.histogram(slot);
  };
  if (family.scan_small && keeps_histogram(node(family.small)))
    family.small_histogram = keep(family.small);
  if (family.large >= 0 && keeps_histogram(node(family.large))) {
    if (parent_slot >= 0) {
      slot_[static_cast<std::size_t>(family.large)] = parent_slot;
      family.large_histogram = pool_.histogram(parent_slot);
      family.parent_histogram = family.large_histogram;
    } else {
      family.large_histogram = keep(family.large);
    }
  }

  std::vector<Split>& candidates = scratch_[static_cast<std::size_t>(worker_index())].candidates;
  candidates.resize(2 * feature_count_);
  family.small_splits = candidates.data();
  family.large_splits = candidates.data() + feature_count_;
  parallel_for(threads, blocks_.size(), [&](std::size_t b) {
    search_block(blocks_[b], family, scratch_[static_cast<std::size_t>(worker_index())]);
  });
  if (family.scan_small) choose(family.small, {family.small_splits, feature_count_});
  if (family.large >= 0) choose(family.large, {family.large_splits, feature_count_});
  const bool reused = family.large >= 0 && parent_slot >= 0 &&
                      slot_[static_cast<std::size_t>(family.large)] == parent_slot;
  if (parent_slot >= 0 && !reused) pool_.give(parent_slot);
}

// The best of the features' candidates; the first of equals, so that threads do not matter.
void TreeGrower::choose(std::int32_t index, std::span<const Split> candidates) {
  GrownNode& node = tree_.nodes[static_cast<std::size_t>(index)];
  const auto best =
      std::max_element(candidates.begin(), candidates.end(),
                       [](const Split& a, const Split& b) { return a.score < b.score; });
  if (best != candidates.end()) node.split = *best;
  if (signed_cut(criterion_->kind)) {
    // The constant vote: everything on one side.
    const std::int32_t* total = tree_.total(static_cast<std::size_t>(index));
    const float constant = kernels().score(*criterion_, total, total);
    if (constant >= node.split.score) {
      node.split = Split{};
      node.split.constant = true;
      node.split.score = constant;
    }
  }
  const float gain = node.split.score - node.current;
  node.gain = gain > kLeastShare * std::fabs(node.split.score) ? gain : 0;
}

// What the children are worth before they are cut themselves.
void TreeGrower::set_children_scores(std::int32_t index) {
  const GrownNode& parent = tree_.nodes[static_cast<std::size_t>(index)];
  const auto l = static_cast<std::size_t>(parent.left);
  const auto r = static_cast<std::size_t>(parent.right);
  const std::int32_t* left = tree_.total(l);
  const std::int32_t* right = tree_.total(r);
  if (!signed_cut(criterion_->kind)) {
    tree_.nodes[l].current = kernels().score(*criterion_, left, left);
    tree_.nodes[r].current = kernels().score(*criterion_, right, right);
    return;
  }
  // The edges of -v on the left and +v on the right, v the sign of the difference.
  double left_edge = 0;
  double right_edge = 0;
  double best = -1;
  for (std::size_t j = kPullChannel; j < kPullChannel + criterion_->pulls; ++j) {
    const std::int64_t difference = std::int64_t{right[j]} - left[j];
    const double sign = difference < 0 ? -1 : 1;
    const double size = sign * static_cast<double>(difference);
    if (criterion_->kind == CriterionKind::kVote) {
      left_edge -= sign * left[j];
      right_edge += sign * right[j];
    } else if (size > best) {
      best = size;
      left_edge = -sign * left[j];
      right_edge = sign * right[j];
    }
  }
  tree_.nodes[l].current = static_cast<float>(left_edge);
  tree_.nodes[r].current = static_cast<float>(right_edge);
}

// Additions of a vector that cutting a node and looking for the cuts of its children takes,
// roughly: half of the rows, since the larger child comes by subtraction.
std::size_t TreeGrower::work_of(const GrownNode& node) const {
  const std::size_t rows = (node.end - node.begin) / 2;
  return (rows * feature_count_ + 2 * total_bins_) * (tree_.channels / 4);
}

// Room for the children of a node; they say where it is.
void TreeGrower::add_children(std::int32_t index) {
  const std::size_t left = tree_.nodes.size();
  tree_.nodes[static_cast<std::size_t>(index)].left = static_cast<std::int32_t>(left);
  tree_.nodes.resize(left + 2);
  order_.resize(left + 2, -1);
  slot_.resize(left + 2, -1);
  tree_.totals.resize((left + 2) * tree_.channels);
}

// Parts the rows of a node, whose children have room, and looks for the children's cuts if wanted.
// Nodes may be prepared at the same time.
void TreeGrower::prepare(std::int32_t index, bool search, int threads) {
  const auto at = static_cast<std::size_t>(index);
  const std::int32_t left = tree_.nodes[at].left;
  part_node(tree_, partition_, index, left, data_, threads);
  const auto first = static_cast<std::size_t>(left);
  const auto size = [&](std::size_t i) { return tree_.nodes[i].end - tree_.nodes[i].begin; };
  const std::size_t channels = tree_.channels;
  const auto sum = [&](std::size_t i) {
    if (node_stats_) node_stats_->enter(tree_, i);
    stats_->sum_rows(tree_.rows(tree_.nodes[i]), tree_.totals.data() + i * channels);
  };
  if (node_stats_) {
    sum(first);
    sum(first + 1);
  } else {
    const bool left_small = size(first) <= size(first + 1);
    const std::size_t small = first + (left_small ? 0 : 1);
    const std::size_t large = first + (left_small ? 1 : 0);
    sum(small);
    for (std::size_t j = 0; j < channels; ++j)
      tree_.totals[large * channels + j] = tree_.total(at)[j] - tree_.total(small)[j];
  }
  const auto weight = [&](std::int32_t i) {
    return tree_.total(static_cast<std::size_t>(i))[kWeightChannel];
  };
  choose_missing_side(tree_, index, weight(left), weight(left + 1));
  set_children_scores(index);
  if (!search) return;
  find_splits(left, left + 1, slot_[at], threads);
  slot_[at] = -1;
}

// Prepares the first node of the queue; and those behind it, which most likely come next, where
// threads would find little to do in one alone. What is prepared in vain changes nothing.
void TreeGrower::prepare_some(const Queue& queue) {
  const auto room =
      static_cast<std::size_t>(options_.max_leaves == 0 ? std::numeric_limits<int>::max()
                                                        : options_.max_leaves - open_leaves_);
  std::vector<std::int32_t> next{queue.top()};
  std::size_t work = work_of(tree_.nodes[static_cast<std::size_t>(next[0])]);
  const auto workers = static_cast<std::size_t>(std::max(space_.threads(), 1));
  const std::size_t shared =
      blocks_.size() >= kManyBlocks * workers ? kSharedWorkOfManyBlocks : kSharedWork;
  if (workers > 1 && !node_stats_ && work < shared) {
    const std::size_t most = std::min(room, 2 * workers);
    for (const std::int32_t index : queue) {
      const GrownNode& node = tree_.nodes[static_cast<std::size_t>(index)];
      if (next.size() == most) break;
      if (index == next[0] || !node.leaf() || node.split.constant) continue;
      if (work_of(node) >= shared) continue;
      next.push_back(index);
      work += work_of(node);
    }
  }
  const int threads = work < kParallelWork ? 1 : space_.threads();
  if (threads == 1) next.resize(1);
  for (const std::int32_t index : next) add_children(index);
  if (next.size() == 1) return prepare(next[0], room > 1, threads);
  parallel_for(threads, next.size(), [&](std::size_t i) { prepare(next[i], room > i + 1, 1); });
}

// The children of a prepared node become part of the tree.
void TreeGrower::take(std::int32_t index) {
  const auto left = static_cast<std::size_t>(tree_.nodes[static_cast<std::size_t>(index)].left);
  order_[left] = taken_++;
  order_[left + 1] = taken_++;
  ++open_leaves_;
}

// Leaves the tree as if only the nodes that were taken had ever been prepared, in their order.
void TreeGrower::drop_untaken() {
  GrownTree& tree = tree_;
  const auto count = static_cast<std::size_t>(taken_);
  bool in_order = tree.nodes.size() == count;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    GrownNode& node = tree.nodes[i];
    in_order = in_order && order_[i] == static_cast<std::int32_t>(i);
    if (node.leaf() || order_[static_cast<std::size_t>(node.left)] >= 0) continue;
    partition_.join(node.begin, tree.nodes[static_cast<std::size_t>(node.left)].end, node.end);
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
                                  const Sample& sample, NodeStats* node_stats) {
  assert(stats.rows() == data_.rows());
  stats_ = &stats;
  criterion_ = &criterion;
  node_stats_ = node_stats;
  plan_blocks(sample.features);
  start_tree(sample);
  if (blocks_.empty() || partition_.size() == 0) return tree_;

  Queue queue(*this);
  const double unit = stats.score_unit(criterion.kind);
  const auto push = [&](std::int32_t index) {
    const auto& node = tree_.nodes[static_cast<std::size_t>(index)];
    // Too few rows for a cut may still vote for themselves.
    if (signed_cut(criterion.kind) && !node.split.valid() && !too_deep(node)) choose(index, {});
    if (node.gain > 0 && node.gain * unit > options_.min_gain) queue.push(index);
  };
  const auto full = [&] { return options_.max_leaves > 0 && open_leaves_ >= options_.max_leaves; };
  if (may_split(tree_.nodes[0])) find_splits(0, -1, -1, space_.threads());
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
    if (tree_.nodes[at].leaf()) prepare_some(queue);
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
