#include "tree/classes/class_tree.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "tree/kernels/side_counts.h"
#include "tree/pack.h"
#include "tree/split/filter_search.h"

namespace simplexboost {
namespace {

// A node whose rows are there and whose cut is not.
struct Open {
  std::size_t begin;  // of its items
  std::size_t end;
  std::size_t others_begin;  // of the rows that only ask for their leaf
  std::size_t others_end;
  std::int32_t parent;  // -1: the root
  bool left;            // of its parent
  int depth;
  std::size_t constants;  // features that do not differ, at the front of features_
};

// Makes a node or leaf the child of its parent; the root (-1) has none.
void attach(ClassTree& tree, const Open& node, std::int32_t child) {
  if (node.parent < 0) return;
  ClassNode& parent = tree.nodes[static_cast<std::size_t>(node.parent)];
  (node.left ? parent.left : parent.right) = child;
}

// Puts those that go left before the others, all in their order, without branches: which side one
// takes cannot be foretold. goes_left(i): of the item that was at place i.
template <class T, class GoesLeft>
std::size_t part(std::span<T> items, const GoesLeft& goes_left, std::vector<T>& room) {
  if (room.size() < items.size()) room.resize(items.size());
  std::size_t left = 0;
  std::size_t right = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const T item = items[i];
    const bool goes = goes_left(i);
    items[left] = item;
    room[right] = item;
    left += static_cast<std::size_t>(goes);
    right += static_cast<std::size_t>(!goes);
  }
  std::copy_n(room.begin(), right, items.begin() + static_cast<std::ptrdiff_t>(left));
  return left;
}

template <class Bin, class Count>
class ClassTreeGrower {
 public:
  ClassTreeGrower(const BinColumns& columns, const Labels& labels, const ClassTreeOptions& options)
      : data_(columns.data()),
        columns_(columns),
        options_(options),
        node_(labels),
        search_(node_, {options.min_rows, options.min_weight}) {}

  ClassTree grow(std::span<ClassItem> items, std::span<const std::uint32_t> features,
                 Random& random, std::span<std::uint32_t> leaf_of_row);

 private:
  // The best cut of a node, before it is a Split; its values are best_values_.
  struct Candidate {
    std::uint32_t feature = 0;
    ClassCut cut;
    std::vector<std::uint32_t> left_set;  // categorical
    std::optional<ImageFilter> filter;    // in the place of the feature
    std::int32_t limit = 0;               // of the filter
  };

  Split best_split(std::span<const ClassItem> items, std::size_t& constants, Random& random);
  void try_filters(std::span<const ClassItem> items, double most, Random& random, Candidate& best);
  // Whether the best cut of values_ is better; best_values_ are these then.
  bool try_values(Random& random, Candidate& best);
  // Both set values_; false where the rows do not differ.
  bool take_values(std::span<const ClassItem> items, std::uint32_t feature, Random& random);
  bool take_values(const ImageFilter& filter);
  void rank_categories(std::uint32_t bins, Random& random);
  std::vector<std::uint32_t> left_set(std::uint32_t feature, const ClassCut& cut) const;
  Split make_split(Candidate& best);
  void send_missing(Split& split, bool left) const;
  std::size_t part_items(std::span<ClassItem> items, bool missing_left);
  std::size_t part_others(std::span<std::uint32_t> others, const Split& split);
  void add_leaf(ClassTree& tree) const;
  void split_node(const Open& node, Split split, std::span<ClassItem> items, ClassTree& tree);

  const BinnedDataset& data_;
  const BinColumns& columns_;
  ClassTreeOptions options_;
  std::vector<std::uint32_t> features_;  // in the order in which they were drawn
  NodeClasses<Count> node_;              // at hand
  ClassCutSearch<Bin, Count> search_;
  CutValues<Bin> values_;       // of the feature at hand
  CutValues<Bin> best_values_;  // of the one of the best cut
  std::vector<Bin> ranks_;      // of each category, that of missing ones for those not here
  Bin threshold_ = 0;           // of the best cut
  std::vector<Open> open_;
  std::vector<std::uint32_t> others_;
  // Scratch.
  BinColumns::Room room_;
  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> rows_;  // of the node at hand
  std::vector<std::int32_t> filter_values_;
  FilterBins filter_bins_;
  std::vector<ClassItem> item_room_;
  std::vector<std::uint32_t> other_room_;
  std::vector<double> category_weights_;
};

template <class Bin, class Count>
ClassTree ClassTreeGrower<Bin, Count>::grow(std::span<ClassItem> items,
                                            std::span<const std::uint32_t> features, Random& random,
                                            std::span<std::uint32_t> leaf_of_row) {
  features_.assign(features.begin(), features.end());
  if (features_.empty()) {
    features_.resize(data_.features());
    std::iota(features_.begin(), features_.end(), 0U);
  }
  for (std::size_t i = 0; i < leaf_of_row.size(); ++i)
    if (leaf_of_row[i] != kNoLeaf) others_.push_back(static_cast<std::uint32_t>(i));
  ClassTree tree;
  // The features known to be constant are a prefix of features_ that the nodes below leave where it
  // is: with the last node first, those of a node still hold when its turn comes.
  open_.assign(1, {0, items.size(), 0, others_.size(), -1, false, 0, 0});
  while (!open_.empty()) {
    Open node = open_.back();
    open_.pop_back();
    const std::span<ClassItem> rows = items.subspan(node.begin, node.end - node.begin);
    node_.take(rows);
    Split split;
    const bool small = rows.size() < 2 * static_cast<std::size_t>(options_.min_rows);
    const bool deep = options_.max_depth > 0 && node.depth >= options_.max_depth;
    if (!small && !deep && !node_.pure()) split = best_split(rows, node.constants, random);
    if (split.valid() && static_cast<double>(split.score) >= options_.min_gain) {
      split_node(node, std::move(split), rows, tree);
      continue;
    }
    const auto leaf = static_cast<std::uint32_t>(tree.leaves.ends.size());
    attach(tree, node, ~static_cast<std::int32_t>(leaf));
    for (std::size_t i = node.others_begin; i < node.others_end; ++i)
      leaf_of_row[others_[i]] = leaf;
    add_leaf(tree);
  }
  return tree;
}

// By the values that the best cut compared.
template <class Bin, class Count>
std::size_t ClassTreeGrower<Bin, Count>::part_items(std::span<ClassItem> items, bool missing_left) {
  const Bin* const values = best_values_.of_rows.data();
  const Bin last = threshold_;
  if (best_values_.missing == 0 || !missing_left)
    return part(
        items, [=](std::size_t i) { return values[i] <= last; }, item_room_);
  const Bin none = best_values_.none;
  const auto goes = [=](std::size_t i) { return values[i] <= last || values[i] == none; };
  return part(items, goes, item_room_);
}

template <class Bin, class Count>
std::size_t ClassTreeGrower<Bin, Count>::part_others(std::span<std::uint32_t> others,
                                                     const Split& split) {
  if (split.filtered) {
    const FilterPredicate left(split, *data_.images());
    return part(
        others, [&](std::size_t i) { return left(others[i]); }, other_room_);
  }
  const auto from = columns_.template values<Bin>(split.feature, room_);
  const FeatureBins& bins = data_.bins(split.feature);
  if (!split.categorical && !bins.has_missing) {
    const std::uint32_t last = split.bin;
    return part(
        others, [=](std::size_t i) { return from[others[i]] <= last; }, other_room_);
  }
  const SplitPredicate left(split, bins);
  return part(
      others, [&](std::size_t i) { return left(from[others[i]]); }, other_room_);
}

template <class Bin, class Count>
void ClassTreeGrower<Bin, Count>::split_node(const Open& node, Split split,
                                             std::span<ClassItem> items, ClassTree& tree) {
  const auto at = static_cast<std::int32_t>(tree.nodes.size());
  attach(tree, node, at);
  const std::size_t left = part_items(items, split.missing_left);
  // Where a node has no missing values, those to come take the side of more rows.
  if (!split.missing_seen) send_missing(split, 2 * left >= items.size());
  const std::span<std::uint32_t> others =
      std::span(others_).subspan(node.others_begin, node.others_end - node.others_begin);
  const std::size_t others_left = others.empty() ? 0 : part_others(others, split);
  const float gain = split.score;
  tree.nodes.push_back({std::move(split), -1, -1, gain});
  const std::size_t middle = node.begin + left;
  const std::size_t others_middle = node.others_begin + others_left;
  open_.push_back({middle, node.end, others_middle, node.others_end, at, false, node.depth + 1,
                   node.constants});
  open_.push_back({node.begin, middle, node.others_begin, others_middle, at, true, node.depth + 1,
                   node.constants});
}

// Draws features until enough of them were looked at and one of them can be cut; then filters.
template <class Bin, class Count>
Split ClassTreeGrower<Bin, Count>::best_split(std::span<const ClassItem> items,
                                              std::size_t& constants, Random& random) {
  Candidate best;
  std::size_t looked = 0;
  std::size_t drawn = constants;
  // Where both sides are pure, no other cut is better; sets of labels may count for more.
  const double most =
      node_.sets() ? std::numeric_limits<double>::infinity() : static_cast<double>(node_.total());
  while (drawn < features_.size() && best.cut.score < most &&
         (looked < options_.features || best.cut.score < 0)) {
    const std::size_t pick = drawn + random.below(features_.size() - drawn);
    std::swap(features_[drawn], features_[pick]);
    const std::uint32_t feature = features_[drawn];
    ++looked;
    if (!take_values(items, feature, random)) {
      std::swap(features_[drawn++], features_[constants++]);
      continue;
    }
    ++drawn;
    if (!try_values(random, best)) continue;
    best.feature = feature;
    best.left_set = left_set(feature, best.cut);
  }
  if (options_.filters > 0) try_filters(items, most, random, best);
  return make_split(best);
}

template <class Bin, class Count>
bool ClassTreeGrower<Bin, Count>::try_values(Random& random, Candidate& best) {
  const ClassCut found =
      options_.drawn ? search_.drawn(values_, random) : search_.searched(values_);
  if (!(found.score > best.cut.score)) return false;
  best.cut = found;
  std::swap(values_, best_values_);
  return true;
}

template <class Bin, class Count>
void ClassTreeGrower<Bin, Count>::try_filters(std::span<const ClassItem> items, double most,
                                              Random& random, Candidate& best) {
  rows_.resize(items.size());
  std::ranges::transform(items, rows_.begin(), &ClassItem::row);
  const ImageShape& shape = data_.images()->shape();
  for (std::size_t f = 0; f < options_.filters && best.cut.score < most; ++f) {
    const ImageFilter filter = draw_filter(shape, random);
    if (!take_values(filter) || !try_values(random, best)) continue;
    best.filter = filter;
    best.limit = filter_bins_.limit(best.cut.threshold);
  }
}

// The bins of a filter in the place of those of a feature.
template <class Bin, class Count>
bool ClassTreeGrower<Bin, Count>::take_values(const ImageFilter& filter) {
  const IntegralImages& images = *data_.images();
  filter_values_.resize(rows_.size());
  images.values(filter_taps(filter, images.shape()), rows_, filter_values_.data());
  filter_bins_.assign(filter_values_);
  if (filter_bins_.size() < 2) return false;
  const std::size_t room = rows_.size() + kSidePadding;
  if (values_.of_rows.size() < room) values_.of_rows.resize(room);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    values_.of_rows[i] = filter_bins_.bin_of(filter_values_[i]);
  values_.least = 0;
  values_.most = static_cast<Bin>(filter_bins_.size() - 1);
  values_.none = static_cast<Bin>(filter_bins_.size());
  values_.missing = 0;
  return true;
}

template <class Bin, class Count>
bool ClassTreeGrower<Bin, Count>::take_values(std::span<const ClassItem> items,
                                              std::uint32_t feature, Random& random) {
  const FeatureBins& bins = data_.bins(feature);
  const auto from = columns_.template values<Bin>(feature, room_);
  const std::size_t room = items.size() + kSidePadding;
  if (values_.of_rows.size() < room) values_.of_rows.resize(room);
  Bin* const values = values_.of_rows.data();
  for (std::size_t i = 0; i < items.size(); ++i) values[i] = from[items[i].row];
  values_.none = static_cast<Bin>(bins.missing_bin());
  values_.missing = 0;
  if (bins.type == FeatureType::kCategorical) rank_categories(bins.value_bins, random);
  // Apart from the loop above, so that the compiler compares many at once.
  Bin least = values[0];
  Bin most = values[0];
  for (std::size_t i = 0; i < items.size(); ++i) {
    least = std::min(least, values[i]);
    most = std::max(most, values[i]);
  }
  if (bins.has_missing || bins.type == FeatureType::kCategorical) {
    const auto known = [&](Bin value) { return value != values_.none; };
    values_.missing = items.size() -
                      static_cast<std::size_t>(std::count_if(values, values + items.size(), known));
    if (values_.missing == items.size()) return false;
    most = least;
    for (std::size_t i = 0; i < items.size(); ++i)
      if (known(values[i])) most = std::max(most, values[i]);
  }
  values_.least = least;
  values_.most = most;
  return least < most || values_.missing > 0;
}

// In the place of categories, their places in an order: a random one where thresholds are drawn,
// else by the share of a class, which is drawn: for two classes the best cut is one of these.
template <class Bin, class Count>
void ClassTreeGrower<Bin, Count>::rank_categories(std::uint32_t bins, Random& random) {
  category_weights_.assign(2 * std::size_t{bins}, 0);
  Bin* const values = values_.of_rows.data();
  const std::span<const std::uint32_t> drawn = node_.numbers_of(random.below(node_.rows()));
  const auto has = [&](std::size_t i) {
    return std::ranges::any_of(node_.numbers_of(i), [&](std::uint32_t k) {
      return std::find(drawn.begin(), drawn.end(), k) != drawn.end();
    });
  };
  for (std::size_t i = 0; i < node_.rows(); ++i) {
    if (values[i] == bins) continue;
    const auto weight = static_cast<double>(node_.weights()[i]);
    category_weights_[2 * std::size_t{values[i]}] += weight;
    if (has(i)) category_weights_[2 * std::size_t{values[i]} + 1] += weight;
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
  ranks_.assign(std::size_t{bins} + 1, static_cast<Bin>(bins));
  for (std::uint32_t r = 0; r < places_.size(); ++r) ranks_[places_[r]] = static_cast<Bin>(r);
  for (std::size_t i = 0; i < node_.rows(); ++i) values[i] = ranks_[values[i]];
}

// Empty where the feature is numeric.
template <class Bin, class Count>
std::vector<std::uint32_t> ClassTreeGrower<Bin, Count>::left_set(std::uint32_t feature,
                                                                 const ClassCut& cut) const {
  const FeatureBins& bins = data_.bins(feature);
  if (bins.type == FeatureType::kNumeric) return {};
  std::vector<std::uint32_t> set(std::size_t{bins.missing_bin()} / 32 + 1);
  for (std::uint32_t c = 0; c < bins.value_bins; ++c)
    if (ranks_[c] <= cut.threshold) set[c / 32] |= 1U << (c % 32);
  return set;
}

template <class Bin, class Count>
Split ClassTreeGrower<Bin, Count>::make_split(Candidate& best) {
  Split split;
  if (best.cut.score < 0) return split;
  split.feature = best.feature;
  split.missing_seen = best_values_.missing > 0;
  threshold_ = static_cast<Bin>(best.cut.threshold);
  split.missing_left = best.cut.missing_left;
  split.categorical = data_.bins(best.feature).type == FeatureType::kCategorical;
  if (best.filter) {
    split.filtered = true;
    split.filter = *best.filter;
    split.limit = best.limit;
    split.feature = middle_pixel(*best.filter, data_.images()->shape());
  } else if (split.categorical) {
    split.left_set = std::move(best.left_set);
    send_missing(split, best.cut.missing_left);
  } else {
    split.bin = best.cut.threshold;
  }
  // Rounding must not make a cut that parts nothing look worse than none.
  const double whole = static_cast<double>(node_.squares()) / static_cast<double>(node_.total());
  split.score = static_cast<float>(std::max(best.cut.score - whole, 0.0));
  return split;
}

template <class Bin, class Count>
void ClassTreeGrower<Bin, Count>::send_missing(Split& split, bool left) const {
  split.missing_left = left;
  if (!split.categorical) return;
  const std::uint32_t bin = data_.bins(split.feature).missing_bin();
  const std::uint32_t bit = 1U << (bin % 32);
  split.left_set[bin / 32] =
      left ? split.left_set[bin / 32] | bit : split.left_set[bin / 32] & ~bit;
}

// Of the node at hand.
template <class Bin, class Count>
void ClassTreeGrower<Bin, Count>::add_leaf(ClassTree& tree) const {
  const auto total = static_cast<double>(node_.total());
  for (std::size_t k = 0; k < node_.classes(); ++k) {
    tree.leaves.outputs.push_back(node_.name(k));
    tree.leaves.values.push_back(
        static_cast<float>(static_cast<double>(node_.totals()[k]) / total));
  }
  tree.leaves.ends.push_back(tree.leaves.values.size());
  tree.covers.push_back(static_cast<float>(total));
}

// Those of a class together, in the order of their rows.
void sort_by_class(std::vector<ClassItem>& items, std::size_t classes) {
  std::vector<std::size_t> places(classes + 1);
  for (const ClassItem& item : items) ++places[static_cast<std::size_t>(item.label) + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  std::vector<ClassItem> sorted(items.size());
  for (const ClassItem& item : items) sorted[places[static_cast<std::size_t>(item.label)]++] = item;
  items = std::move(sorted);
}

bool countable(std::span<const ClassItem> items) {
  double sum = 0;
  for (const ClassItem& item : items) {
    if (item.weight != std::floor(item.weight)) return false;
    sum += static_cast<double>(item.weight);
  }
  return sum < NodeClasses<double>::kMostCounted;
}

}  // namespace

ClassTree grow_class_tree(const BinColumns& columns, const Labels& labels,
                          const ClassTreeOptions& options, std::vector<ClassItem>& items,
                          std::span<const std::uint32_t> features, Random& random,
                          std::span<std::uint32_t> leaf_of_row) {
  assert(!items.empty());
  const bool sets = labels.multi_label();
  for (ClassItem& item : items) item.label = sets ? -1 : labels.codes[item.row];
  if (!sets) sort_by_class(items, labels.classes.size());
  return columns.data().visit([&]<class Bin>(const Bin*) {
    if (countable(items))
      return ClassTreeGrower<Bin, std::int32_t>(columns, labels, options)
          .grow(items, features, random, leaf_of_row);
    return ClassTreeGrower<Bin, double>(columns, labels, options)
        .grow(items, features, random, leaf_of_row);
  });
}

std::size_t leaf_of(const ClassTree& tree, const BinnedDataset& data, std::size_t row) {
  if (tree.nodes.empty()) return 0;
  std::int32_t at = 0;
  while (at >= 0) {
    const ClassNode& node = tree.nodes[static_cast<std::size_t>(at)];
    const Split& split = node.split;
    const bool left =
        split.filtered
            ? FilterPredicate(split, *data.images())(row)
            : SplitPredicate(split, data.bins(split.feature))(data.bin(split.feature, row));
    at = left ? node.left : node.right;
  }
  return static_cast<std::size_t>(~at);
}

void append_class_tree(Forest& forest, const ClassTree& tree, const std::vector<FeatureBins>& bins,
                       std::size_t outputs, bool dense) {
  std::vector<Node> nodes;
  std::vector<float> gains;
  CategorySets sets(forest, tree.nodes.size());
  for (const ClassNode& one : tree.nodes) {
    Node& node = nodes.emplace_back(pack_split(one.split, bins[one.split.feature], sets));
    node.left = one.left;
    node.right = one.right;
    gains.push_back(one.gain);
  }
  // Unless those of trees before are not known.
  if (forest.leaf_cover.size() == forest.leaves())
    forest.leaf_cover.insert(forest.leaf_cover.end(), tree.covers.begin(), tree.covers.end());
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
