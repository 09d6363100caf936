#include "tree/growth.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tree/split/filter_search.h"

namespace simplexboost {
namespace {

// Scores are single-precision numbers: a gain of less than this share of them is rounding, and a
// node whose rows all want the same must not be cut for it.
constexpr float kLeastShare = 0x1p-20F;

// A judge of for_numeric_cuts().
struct MonotoneScan {
  const ScanArgs& args;
  const MonotoneCuts& cuts;
  std::size_t node;
  std::uint32_t feature;
  std::int32_t* left;
  ScanResult best = {};

  std::size_t channels() const { return args.criterion->channels; }
  const std::int32_t* sums(std::uint32_t bin) const { return args.histogram + bin * channels(); }
  void start(bool missing_left) const {
    std::fill_n(left, channels(), 0);
    if (missing_left) move_left(args.value_bins);
  }
  bool empty(std::uint32_t bin) const { return sums(bin)[kCountChannel] == 0; }
  void move_left(std::uint32_t bin) const { kernels().add_integers(sums(bin), channels(), left); }
  CutFit fit() const { return cut_fit(args, left); }
  void try_cut(std::uint32_t bin, bool missing_left) {
    const float score = cuts.score(node, feature, left, args.total);
    if (score > best.score) best = {score, bin, missing_left};
  }
};

}  // namespace

bool Growth::too_deep(std::size_t node) const {
  return options.max_depth > 0 && tree.nodes[node].depth >= options.max_depth;
}

bool Growth::may_split(std::size_t node) const {
  return !too_deep(node) && tree.count(node) >= 2 * std::int64_t{std::max(options.min_rows, 1)};
}

bool Growth::may_subtract(std::size_t node) const {
  return !node_stats && (options.max_depth == 0 || tree.nodes[node].depth + 1 < options.max_depth);
}

ScanArgs Growth::scan_args(std::uint32_t feature, std::size_t node,
                           const std::int32_t* histogram) const {
  const FeatureBins& bins = data.bins(feature);
  return {histogram,
          bins.value_bins,
          bins.has_missing,
          tree.total(node),
          &criterion,
          std::max(options.min_rows, 1),
          static_cast<float>(options.min_weight / stats.weight_unit())};
}

Split Growth::best_split(std::uint32_t feature, std::size_t node, const std::int32_t* histogram,
                         std::int32_t* left) const {
  Split split;
  split.feature = feature;
  if (options.interactions && !options.interactions->allows(tree, node, feature, data))
    return split;
  const FeatureBins& bins = data.bins(feature);
  // A cut has rows on both sides, and all that are in the default bin are on one.
  if (bins.sparse() &&
      tree.count(node) - histogram[bins.default_bin * tree.channels + kCountChannel] <
          std::max(options.min_rows, 1))
    return split;
  const ScanArgs args = scan_args(feature, node, histogram);
  if (monotone) return best_monotone_split(feature, node, args, left);
  if (bins.type == FeatureType::kCategorical) {
    split = best_categorical_split(args, options.categorical);
  } else {
    const ScanResult found =
        options.drawn_thresholds
            ? drawn_cut(args, node_random(chance, tree, node, std::uint64_t{feature} + 1), left)
            : kernels().scan(args, left);
    split.score = found.score;
    split.bin = found.bin;
    split.missing_left = found.missing_left;
    split.missing_seen =
        bins.has_missing && histogram[bins.missing_bin() * tree.channels + kCountChannel] > 0;
  }
  split.feature = feature;
  return split;
}

Split Growth::best_monotone_split(std::uint32_t feature, std::size_t node, const ScanArgs& args,
                                  std::int32_t* left) const {
  const FeatureBins& bins = data.bins(feature);
  MonotoneScan scan{args, *monotone, node, feature, left};
  const bool missing = args.has_missing && !scan.empty(args.value_bins);
  Split split;
  if (bins.type == FeatureType::kCategorical) {
    split = best_categorical_split(args, options.categorical);
  } else if (options.drawn_thresholds) {
    const ScanResult found =
        drawn_cut(args, node_random(chance, tree, node, std::uint64_t{feature} + 1), left);
    split.score = found.score;
    split.bin = found.bin;
    split.missing_left = found.missing_left;
  } else {
    for_numeric_cuts(scan, args.value_bins, missing);
    split.score = scan.best.score;
    split.bin = scan.best.bin;
    split.missing_left = scan.best.missing_left;
  }
  split.feature = feature;
  if (!split.categorical) split.missing_seen = missing;
  if (!split.valid() || (!split.categorical && !options.drawn_thresholds)) return split;
  // Found by the criterion alone.
  const SplitPredicate goes_left(split, bins);
  scan.start(missing && split.missing_left);
  for (std::uint32_t bin = 0; bin < args.value_bins; ++bin)
    if (!scan.empty(bin) && goes_left(bin)) scan.move_left(bin);
  split.score = monotone->score(node, feature, left, args.total);
  return split;
}

const Split* Growth::best_of(std::size_t index, std::span<const Split> candidates) const {
  if (candidates.empty()) return nullptr;
  if (!by_chance()) return &*std::max_element(candidates.begin(), candidates.end(), worse);
  return best_by_chance(candidates, tree.nodes[index].current, options.node_features, chance.noise,
                        node_random(chance, tree, index, 0));
}

void Growth::choose(std::size_t index, std::span<const Split> candidates) const {
  GrownNode& node = tree.nodes[index];
  if (const Split* const best = best_of(index, candidates)) node.split = *best;
  if (options.filters > 0 && may_split(index)) {
    Split filtered = best_filter_cut(*this, index);
    if (filtered.score > node.split.score) node.split = std::move(filtered);
  }
  if (signed_cut(criterion.kind)) {
    // The constant vote: everything on one side.
    const std::int32_t* total = tree.total(index);
    const float constant = kernels().score(criterion, total, total);
    if (constant >= node.split.score) {
      node.split = Split{};
      node.split.constant = true;
      node.split.score = constant;
    }
  }
  const float gain = node.split.score - node.current;
  node.gain = gain > kLeastShare * std::fabs(node.split.score) ? gain : 0;
}

void Growth::judge_root() const {
  if (monotone)
    tree.nodes[0].current = monotone->score(0, tree.total(0));
  else if (!signed_cut(criterion.kind))
    tree.nodes[0].current = kernels().score(criterion, tree.total(0), tree.total(0));
}

void Growth::judge_children(std::size_t node) const {
  const auto l = static_cast<std::size_t>(tree.nodes[node].left);
  const auto r = static_cast<std::size_t>(tree.nodes[node].right);
  const std::int32_t* left = tree.total(l);
  const std::int32_t* right = tree.total(r);
  choose_missing_side(tree, node, left[kWeightChannel], right[kWeightChannel]);
  if (monotone) {
    monotone->pass_on(tree, node);
    tree.nodes[l].current = monotone->score(l, left);
    tree.nodes[r].current = monotone->score(r, right);
    return;
  }
  if (!signed_cut(criterion.kind)) {
    tree.nodes[l].current = kernels().score(criterion, left, left);
    tree.nodes[r].current = kernels().score(criterion, right, right);
    return;
  }
  // The edges of -v on the left and +v on the right, v the sign of the difference.
  double left_edge = 0;
  double right_edge = 0;
  for (std::size_t j = kPullChannel; j < kPullChannel + criterion.pulls; ++j) {
    const double sign = right[j] < left[j] ? -1 : 1;
    left_edge -= sign * left[j];
    right_edge += sign * right[j];
  }
  tree.nodes[l].current = static_cast<float>(left_edge);
  tree.nodes[r].current = static_cast<float>(right_edge);
}

}  // namespace simplexboost
