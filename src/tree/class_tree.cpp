#include "tree/class_tree.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "tree/pack.h"

namespace simplexboost {
namespace {

constexpr std::uint32_t kNoRank = 0xffffffff;
constexpr std::uint32_t kMissing = 0xfffffffe;  // in the place of a value
// Below this many rows to a value, comparing beats counting.
constexpr std::size_t kRowsToCount = 2;

// Makes a node or leaf the child of its parent; the root (-1) has none.
void attach(ClassTree& tree, std::int32_t parent, bool left, std::int32_t child) {
  if (parent < 0) return;
  ClassNode& node = tree.nodes[static_cast<std::size_t>(parent)];
  (left ? node.left : node.right) = child;
}

}  // namespace

// A node whose rows are there and whose cut is not.
struct ClassTreeGrower::Open {
  std::size_t begin;
  std::size_t end;
  std::int32_t parent;  // -1: the root
  bool left;            // of its parent
  int depth;
  std::size_t constants;  // features that do not differ, at the front of features_
};

// What went left: n, the sum of squares of the classes' weights l, and the sum of l times those of
// the node.
struct ClassTreeGrower::Side {
  double weight = 0;
  double rows = 0;
  double squares = 0;
  double cross = 0;
};

ClassTreeGrower::ClassTreeGrower(const BinnedDataset& data, const Labels& labels,
                                 const ClassTreeOptions& options)
    : data_(data),
      labels_(labels),
      options_(options),
      counts_(labels.classes.size()),
      left_counts_(labels.classes.size()) {}

// Whether there are so many rows that a pass over the classes costs less than sums kept row by row.
bool ClassTreeGrower::by_classes(std::span<const Item> items) const {
  return items[0].label >= 0 && items.size() >= counts_.size();
}

template <class Use>
inline void ClassTreeGrower::each_label(const Item& item, const Use& use) const {
  if (item.label >= 0) return use(static_cast<std::size_t>(item.label));
  for (std::size_t i = labels_.offsets[item.row]; i < labels_.offsets[item.row + 1]; ++i)
    use(static_cast<std::size_t>(labels_.codes[i]));
}

void ClassTreeGrower::count(std::span<const Item> items) {
  total_ = squares_ = 0;
  if (by_classes(items)) {
    for (const Item& item : items)
      counts_[static_cast<std::size_t>(item.label)] += static_cast<double>(item.weight);
    for (const double count : counts_) {
      total_ += count;
      squares_ += count * count;
    }
    return;
  }
  for (const Item& item : items) {
    const auto weight = static_cast<double>(item.weight);
    total_ += weight;
    each_label(item, [&](std::size_t k) {
      squares_ += weight * (2 * counts_[k] + weight);
      counts_[k] += weight;
    });
  }
}

void ClassTreeGrower::forget(std::span<const Item> items) {
  if (counts_.size() < items.size()) return std::fill(counts_.begin(), counts_.end(), 0.0);
  for (const Item& item : items) each_label(item, [&](std::size_t k) { counts_[k] = 0; });
}

// Whether all rows say the same.
bool ClassTreeGrower::pure(std::span<const Item> items) const {
  constexpr double kAlmost = 1 - 1e-9;
  if (!labels_.multi_label() && squares_ < kAlmost * total_ * total_) return false;
  const auto own = [&](const Item& item) {
    const auto begin = labels_.codes.begin();
    return std::span(begin + static_cast<std::ptrdiff_t>(labels_.offsets[item.row]),
                     begin + static_cast<std::ptrdiff_t>(labels_.offsets[item.row + 1]));
  };
  return std::all_of(items.begin(), items.end(), [&](const Item& item) {
    if (item.label >= 0) return item.label == items[0].label;
    return std::ranges::equal(own(item), own(items[0]));
  });
}

ClassTree ClassTreeGrower::grow(std::vector<Item>& items, std::span<const std::uint32_t> features,
                                Random& random) {
  assert(!items.empty());
  features_.assign(features.begin(), features.end());
  if (features_.empty()) {
    features_.resize(data_.features());
    std::iota(features_.begin(), features_.end(), 0U);
  }
  const bool sets = labels_.multi_label();
  for (Item& item : items) item.label = sets ? -1 : labels_.codes[item.row];
  ClassTree tree;
  // The features known to be constant are a prefix of features_ that the nodes below leave where it
  // is: with the last node first, those of a node still hold when its turn comes.
  std::vector<Open> open{{0, items.size(), -1, false, 0, 0}};
  while (!open.empty()) {
    Open node = open.back();
    open.pop_back();
    const std::span<Item> rows = std::span(items).subspan(node.begin, node.end - node.begin);
    const auto at = static_cast<std::int32_t>(tree.nodes.size());
    count(rows);
    Split split;
    const bool small = rows.size() < 2 * static_cast<std::size_t>(options_.min_rows);
    const bool deep = options_.max_depth > 0 && node.depth >= options_.max_depth;
    if (!small && !deep && !pure(rows))
      data_.visit(
          [&]<class Bin>(const Bin*) { split = best_split<Bin>(rows, node.constants, random); });
    if (!split.valid() || static_cast<double>(split.score) < options_.min_gain) {
      attach(tree, node.parent, node.left, ~static_cast<std::int32_t>(tree.leaves.ends.size()));
      add_leaf(rows, tree);
      forget(rows);
      continue;
    }
    forget(rows);
    attach(tree, node.parent, node.left, at);
    std::size_t left = 0;
    data_.visit([&]<class Bin>(const Bin*) { left = part<Bin>(rows, split); });
    // Where a node has no missing values, those to come take the side of more rows.
    if (!split.missing_seen) send_missing(split, 2 * left >= rows.size());
    tree.nodes.push_back({std::move(split), -1, -1, 0});
    tree.nodes.back().gain = tree.nodes.back().split.score;
    const std::size_t middle = node.begin + left;
    open.push_back({middle, node.end, at, false, node.depth + 1, node.constants});
    open.push_back({node.begin, middle, at, true, node.depth + 1, node.constants});
  }
  return tree;
}

// Draws features until enough of them were looked at and one of them can be cut.
template <class Bin>
Split ClassTreeGrower::best_split(std::span<const Item> items, std::size_t& constants,
                                  Random& random) {
  Split best;
  double best_score = -1;
  std::size_t looked = 0;
  std::size_t drawn = constants;
  while (drawn < features_.size() && (looked < options_.features || best_score < 0)) {
    const std::size_t pick = drawn + random.below(features_.size() - drawn);
    std::swap(features_[drawn], features_[pick]);
    const std::uint32_t feature = features_[drawn];
    ++looked;
    if (!take_values<Bin>(items, feature, random)) {
      std::swap(features_[drawn], features_[constants]);
      ++constants;
      ++drawn;
      continue;
    }
    ++drawn;
    const Candidate found = options_.drawn ? drawn_cut(items, random) : searched_cut(items);
    if (!(found.score > best_score)) continue;
    best_score = found.score;
    best = make_split(feature, found);
  }
  if (best_score >= 0) {
    // Rounding must not make a cut that parts nothing look worse than none.
    const double gain = std::max(best_score - squares_ / total_, 0.0);
    best.score = static_cast<float>(gain);
  }
  return best;
}

template <class Bin>
bool ClassTreeGrower::take_values(std::span<const Item> items, std::uint32_t feature,
                                  Random& random) {
  const FeatureBins& bins = data_.bins(feature);
  const auto from = data_.values<Bin>(feature);
  values_.resize(std::max(values_.size(), items.size()));
  const std::uint32_t missing = bins.missing_bin();
  const bool categorical = bins.type == FeatureType::kCategorical;
  least_ = kMissing;
  most_ = 0;
  missing_ = 0;
  if (!bins.has_missing && !categorical) {
    std::uint32_t least = kMissing;
    std::uint32_t most = 0;
    std::uint32_t* const values = values_.data();
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::uint32_t value = from[items[i].row];
      values[i] = value;
      least = std::min(least, value);
      most = std::max(most, value);
    }
    least_ = least;
    most_ = most;
    return least < most;
  }
  for (std::size_t i = 0; i < items.size(); ++i) values_[i] = from[items[i].row];
  if (categorical) rank_categories(items, missing, random);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (values_[i] == missing || values_[i] == kMissing) {
      values_[i] = kMissing;
      ++missing_;
      continue;
    }
    least_ = std::min(least_, values_[i]);
    most_ = std::max(most_, values_[i]);
  }
  if (missing_ == items.size()) return false;
  return least_ < most_ || missing_ > 0;
}

// In the place of categories, their places in an order: a random one where thresholds are drawn,
// else by the share of a class, which is drawn: for two classes the best cut is one of these.
void ClassTreeGrower::rank_categories(std::span<const Item> items, std::uint32_t bins,
                                      Random& random) {
  category_weights_.assign(2 * std::size_t{bins}, 0);
  const Item& drawn = items[random.below(items.size())];
  const auto has = [&](const Item& item) {
    if (item.label >= 0) return item.label == drawn.label;
    bool shares = false;
    each_label(item,
               [&](std::size_t k) { each_label(drawn, [&](std::size_t l) { shares |= k == l; }); });
    return shares;
  };
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (values_[i] == bins) continue;
    const auto weight = static_cast<double>(items[i].weight);
    category_weights_[2 * std::size_t{values_[i]}] += weight;
    if (has(items[i])) category_weights_[2 * std::size_t{values_[i]} + 1] += weight;
  }
  places_.clear();
  for (std::uint32_t c = 0; c < bins; ++c)
    if (category_weights_[2 * std::size_t{c}] > 0) places_.push_back(c);
  random.shuffle(places_);
  if (!options_.drawn)
    std::stable_sort(places_.begin(), places_.end(), [&](std::uint32_t a, std::uint32_t b) {
      const double* const of_a = category_weights_.data() + 2 * std::size_t{a};
      const double* const of_b = category_weights_.data() + 2 * std::size_t{b};
      return of_a[1] * of_b[0] < of_b[1] * of_a[0];
    });
  ranks_.assign(std::size_t{bins} + 1, kNoRank);
  for (std::uint32_t r = 0; r < places_.size(); ++r) ranks_[places_[r]] = r;
  ranks_[bins] = kMissing;
  for (std::size_t i = 0; i < items.size(); ++i) values_[i] = ranks_[values_[i]];
}

inline void ClassTreeGrower::add_left(const Item& item, double weight, Side& left) {
  left.weight += weight;
  each_label(item, [&](std::size_t k) {
    left.squares += weight * (2 * left_counts_[k] + weight);
    left.cross += weight * counts_[k];
    left_counts_[k] += weight;
  });
}

// The sum over both sides of the squares of the classes' weights over the side's weight: what the
// Gini index leaves; below 0 where a side is too small.
double ClassTreeGrower::judge(const Side& left, double rows) const {
  const double right_weight = total_ - left.weight;
  const double right_rows = rows - left.rows;
  const auto least_rows = static_cast<double>(options_.min_rows);
  if (left.rows < least_rows || right_rows < least_rows) return -1;
  if (!(left.weight > 0 && right_weight > 0)) return -1;
  if (left.weight < options_.min_weight || right_weight < options_.min_weight) return -1;
  const double right_squares = squares_ - 2 * left.cross + left.squares;
  return left.squares / left.weight + std::max(right_squares, 0.0) / right_weight;
}

ClassTreeGrower::Candidate ClassTreeGrower::drawn_cut(std::span<const Item> items, Random& random) {
  Candidate best;
  best.threshold =
      least_ == most_ ? least_ : least_ + static_cast<std::uint32_t>(random.below(most_ - least_));
  const std::uint32_t threshold = best.threshold;
  for (const bool missing_left : {false, true}) {
    if (missing_left && (missing_ == 0 || least_ == most_)) continue;
    const Side left = send_left(items, threshold, missing_left);
    const double score = judge(left, static_cast<double>(items.size()));
    if (!(score > best.score)) continue;
    best.score = score;
    best.missing_left = missing_left;
  }
  return best;
}

// Without branches: which side a row takes cannot be foretold.
ClassTreeGrower::Side ClassTreeGrower::send_left(std::span<const Item> items,
                                                 std::uint32_t threshold, bool missing_left) {
  Side left;
  const std::uint32_t known = missing_left ? kMissing : kNoRank;  // kNoRank: nothing is equal to it
  const std::uint32_t* const values = values_.data();
  double* const counts = left_counts_.data();
  std::size_t rows = 0;
  if (by_classes(items)) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const bool goes = values[i] <= threshold || values[i] == known;
      rows += goes ? 1 : 0;
      counts[items[i].label] += goes ? static_cast<double>(items[i].weight) : 0.0;
    }
    for (std::size_t k = 0; k < counts_.size(); ++k) {
      left.weight += counts[k];
      left.squares += counts[k] * counts[k];
      left.cross += counts[k] * counts_[k];
      counts[k] = 0;
    }
  } else {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const bool goes = values[i] <= threshold || values[i] == known;
      rows += goes ? 1 : 0;
      if (goes) add_left(items[i], static_cast<double>(items[i].weight), left);
    }
    for (const Item& item : items) each_label(item, [&](std::size_t k) { counts[k] = 0; });
  }
  left.rows = static_cast<double>(rows);
  return left;
}

// Puts the rows of known value in its order: order_ has a value and a row's place each.
void ClassTreeGrower::sort_values(std::size_t count) {
  order_.clear();
  const std::size_t range = std::size_t{most_} - least_ + 1;
  if (count < kRowsToCount * range) {
    for (std::size_t i = 0; i < count; ++i)
      if (values_[i] != kMissing) order_.push_back(std::uint64_t{values_[i]} << 32U | i);
    std::sort(order_.begin(), order_.end());
    return;
  }
  places_.assign(range + 1, 0);
  for (std::size_t i = 0; i < count; ++i)
    if (values_[i] != kMissing) ++places_[values_[i] - least_ + 1];
  std::partial_sum(places_.begin(), places_.end(), places_.begin());
  order_.resize(places_.back());
  for (std::size_t i = 0; i < count; ++i)
    if (values_[i] != kMissing)
      order_[places_[values_[i] - least_]++] = std::uint64_t{values_[i]} << 32U | i;
}

ClassTreeGrower::Candidate ClassTreeGrower::searched_cut(std::span<const Item> items) {
  sort_values(items.size());
  Candidate best;
  const auto rows = static_cast<double>(items.size());
  for (const bool missing_left : {false, true}) {
    if (missing_left && missing_ == 0) continue;
    Side left;
    if (missing_left)
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (values_[i] != kMissing) continue;
        ++left.rows;
        add_left(items[i], static_cast<double>(items[i].weight), left);
      }
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const Item& item = items[order_[i] & 0xffffffff];
      ++left.rows;
      add_left(item, static_cast<double>(item.weight), left);
      const auto value = static_cast<std::uint32_t>(order_[i] >> 32U);
      if (i + 1 < order_.size() && value == order_[i + 1] >> 32U) continue;
      const double score = judge(left, rows);
      if (score > best.score) best = {score, value, missing_left};
    }
    for (const Item& item : items) each_label(item, [&](std::size_t k) { left_counts_[k] = 0; });
  }
  return best;
}

Split ClassTreeGrower::make_split(std::uint32_t feature, const Candidate& candidate) const {
  Split split;
  split.score = 0;  // set when it is known to be the best
  split.feature = feature;
  split.missing_left = candidate.missing_left;
  split.missing_seen = missing_ > 0;
  const FeatureBins& bins = data_.bins(feature);
  if (bins.type == FeatureType::kNumeric) {
    split.bin = candidate.threshold;
    return split;
  }
  split.categorical = true;
  split.left_set.assign(std::size_t{bins.missing_bin()} / 32 + 1, 0);
  for (std::uint32_t c = 0; c < bins.value_bins; ++c)
    if (ranks_[c] <= candidate.threshold) split.left_set[c / 32] |= 1U << (c % 32);
  send_missing(split, candidate.missing_left);
  return split;
}

void ClassTreeGrower::send_missing(Split& split, bool left) const {
  split.missing_left = left;
  if (!split.categorical) return;
  const std::uint32_t bin = data_.bins(split.feature).missing_bin();
  const std::uint32_t bit = 1U << (bin % 32);
  split.left_set[bin / 32] =
      left ? split.left_set[bin / 32] | bit : split.left_set[bin / 32] & ~bit;
}

template <class Bin>
std::size_t ClassTreeGrower::part(std::span<Item> items, const Split& split) {
  const SplitPredicate goes_left(split, data_.bins(split.feature));
  const auto from = data_.values<Bin>(split.feature);
  right_.clear();
  std::size_t left = 0;
  for (const Item& item : items) {
    if (goes_left(from[item.row]))
      items[left++] = item;
    else
      right_.push_back(item);
  }
  std::copy(right_.begin(), right_.end(), items.begin() + static_cast<std::ptrdiff_t>(left));
  return left;
}

// The classes in the order in which they come up, each once: its count is taken away with it.
void ClassTreeGrower::add_leaf(std::span<const Item> items, ClassTree& tree) {
  for (const Item& item : items)
    each_label(item, [&](std::size_t k) {
      if (counts_[k] == 0) return;
      tree.leaves.outputs.push_back(static_cast<std::uint32_t>(k));
      tree.leaves.values.push_back(static_cast<float>(counts_[k] / total_));
      counts_[k] = 0;
    });
  tree.leaves.ends.push_back(tree.leaves.values.size());
}

std::size_t leaf_of(const ClassTree& tree, const BinnedDataset& data, std::size_t row) {
  if (tree.nodes.empty()) return 0;
  return data.visit([&]<class Bin>(const Bin*) {
    std::int32_t at = 0;
    while (at >= 0) {
      const ClassNode& node = tree.nodes[static_cast<std::size_t>(at)];
      const SplitPredicate left(node.split, data.bins(node.split.feature));
      at = left(data.values<Bin>(node.split.feature)[row]) ? node.left : node.right;
    }
    return static_cast<std::size_t>(~at);
  });
}

void append_class_tree(Forest& forest, const ClassTree& tree, const std::vector<FeatureBins>& bins,
                       std::size_t outputs, bool dense) {
  std::vector<Node> nodes;
  std::vector<float> gains;
  for (const ClassNode& one : tree.nodes) {
    Node& node = nodes.emplace_back(pack_split(one.split, bins[one.split.feature], forest));
    node.left = one.left;
    node.right = one.right;
    gains.push_back(one.gain);
  }
  if (!dense) return append_tree(forest, nodes, tree.leaves, 0, outputs, gains);
  const SparseLeaves& leaves = tree.leaves;
  std::vector<float> values(leaves.ends.size() * outputs, -1);
  std::size_t begin = 0;
  for (std::size_t leaf = 0; leaf < leaves.ends.size(); begin = leaves.ends[leaf++])
    for (std::size_t e = begin; e < leaves.ends[leaf]; ++e)
      values[leaf * outputs + leaves.outputs[e]] = 2 * leaves.values[e] - 1;
  append_tree(forest, nodes, values, 0, outputs, gains);
}

}  // namespace simplexboost
