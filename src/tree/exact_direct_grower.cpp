#include "tree/exact_direct_grower.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>

#include "base/stop.h"
#include "tree/split/cuts.h"

namespace simplexboost {
namespace {

constexpr double kWorst = -std::numeric_limits<double>::infinity();

// The bins of a feature that some of the rows have, ascending.
std::vector<std::uint32_t> present_bins(const BinnedDataset& data, std::uint32_t feature,
                                        std::span<const std::uint32_t> rows) {
  std::vector<std::uint32_t> bins;
  data.visit_values(feature, [&](const auto& values) {
    for (const std::uint32_t row : rows) bins.push_back(values[row]);
  });
  std::sort(bins.begin(), bins.end());
  bins.erase(std::unique(bins.begin(), bins.end()), bins.end());
  return bins;
}

}  // namespace

ExactDirectGrower::ExactDirectGrower(const BinnedDataset& data, const GrowthOptions& options,
                                     int threads)
    : data_(data), options_(options), threads_(threads) {}

void ExactDirectGrower::vote(std::span<const std::uint32_t> rows, std::int32_t label) {
  for (const std::uint32_t row : rows) votes_[row] = label;
}

std::int32_t ExactDirectGrower::best_label(std::span<const std::uint32_t> rows, double& objective) {
  std::int32_t best = 0;
  objective = kWorst;
  for (std::size_t y = 0; y < curves_->classes; ++y) {
    vote(rows, static_cast<std::int32_t>(y));
    const double value = curves_->exact(votes_);
    if (!(value > objective)) continue;
    objective = value;
    best = static_cast<std::int32_t>(y);
  }
  vote(rows, best);
  return best;
}

void ExactDirectGrower::try_cut(std::int32_t index, const Split& split, Candidate& best) {
  const GrownNode& node = tree_.nodes[static_cast<std::size_t>(index)];
  std::vector<std::uint32_t> left;
  std::vector<std::uint32_t> right;
  double left_weight = 0;
  double right_weight = 0;
  data_.visit_values(split.feature, [&](const auto& values) {
    const SplitPredicate goes_left(split, data_.bins(split.feature));
    for (const std::uint32_t row : tree_.rows(node)) {
      const bool is_left = goes_left(values[row]);
      (is_left ? left : right).push_back(row);
      (is_left ? left_weight : right_weight) += weights_ ? static_cast<double>(weights_[row]) : 1;
    }
  });
  const auto least = static_cast<std::size_t>(std::max(options_.min_rows, 1));
  if (std::min(left.size(), right.size()) < least) return;
  if (std::min(left_weight, right_weight) < options_.min_weight) return;
  Candidate candidate{kWorst, split};
  // The left label while the right side keeps the vote that the node had; then the right one.
  const std::int32_t before = labels_[static_cast<std::size_t>(index)];
  vote(right, before);
  candidate.left = best_label(left, candidate.objective);
  candidate.right = best_label(right, candidate.objective);
  vote(tree_.rows(node), before);
  if (candidate.objective > best.objective) best = std::move(candidate);
}

// The cuts of a feature, each tried on the rows themselves.
struct ExactDirectGrower::Cuts {
  ExactDirectGrower& grower;
  std::int32_t node;
  const FeatureBins& bins;
  Candidate& best;
  Split split;
  std::vector<std::uint32_t> present;
  std::vector<char> is_left;  // of those present

  Cuts(ExactDirectGrower& of, std::int32_t index, std::uint32_t feature, Candidate& candidate)
      : grower(of),
        node(index),
        bins(of.data_.bins(feature)),
        best(candidate),
        present(present_bins(of.data_, feature,
                             of.tree_.rows(of.tree_.nodes[static_cast<std::size_t>(index)]))),
        is_left(present.size()) {
    split.feature = feature;
    split.categorical = bins.type == FeatureType::kCategorical;
    if (!split.categorical) split.missing_seen = missing();
  }

  bool missing() const { return present.back() == bins.missing_bin(); }
  std::size_t values() const { return present.size() - (missing() ? 1 : 0); }

  void start(bool missing_left) { split.missing_left = missing_left; }
  static bool empty(std::size_t /*s*/) { return false; }
  static CutFit fit() { return CutFit::kYes; }  // try_cut() asks that itself
  void try_cut(std::size_t s, bool /*missing_left*/) {
    split.bin = present[s];
    grower.try_cut(node, split, best);
  }

  void clear() { std::fill(is_left.begin(), is_left.end(), char{0}); }
  void move_left(std::size_t s) { is_left[s] = 1; }
  void move_right(std::size_t s) { is_left[s] = 0; }
  bool try_set() {
    split.left_set.assign(bins.value_bins / 32 + 1, 0);
    const auto put = [&](std::uint32_t bin) { split.left_set[bin / 32] |= 1U << (bin % 32); };
    for (std::size_t s = 0; s < present.size(); ++s)
      if (is_left[s] != 0) put(present[s]);
    // Categories that are not here go where missing values go: right, unless those are left.
    split.missing_left = in_set(split.left_set, bins.missing_bin());
    if (split.missing_left)
      for (std::uint32_t bin = 0; bin < bins.value_bins; ++bin)
        if (!std::binary_search(present.begin(), present.end(), bin)) put(bin);
    grower.try_cut(node, split, best);
    return false;  // it is taken already
  }
  static void take_set(std::span<const std::size_t> /*members*/) {}
  // None: no order is known to hold the best subset.
  template <class Use>
  static void for_orders(const Use& /*use*/) {}
};

void ExactDirectGrower::try_feature(std::int32_t index, std::uint32_t feature, Candidate& best) {
  Cuts cuts(*this, index, feature, best);
  if (cuts.split.categorical) {
    CategoricalCuts(cuts, cuts.present.size()).try_all(options_.categorical);
  } else {
    for_numeric_cuts(cuts, static_cast<std::uint32_t>(cuts.values()), cuts.missing());
  }
}

bool ExactDirectGrower::grow_node(std::int32_t index, std::span<const std::uint32_t> features) {
  const auto at = static_cast<std::size_t>(index);
  const GrownNode& node = tree_.nodes[at];
  if (options_.max_depth > 0 && node.depth >= options_.max_depth) return false;
  Candidate best{kWorst, {}};
  const double now = curves_->exact(votes_);
  for (std::size_t f = 0; f < (features.empty() ? data_.features() : features.size()); ++f) {
    check_stop();
    try_feature(index, features.empty() ? static_cast<std::uint32_t>(f) : features[f], best);
  }
  const double gain = best.objective - now;
  if (best.objective == kWorst || gain < options_.min_gain) return false;
  if (gain > 0 && gain <= curves_->least_gain) return false;
  GrownNode& cut = tree_.nodes[at];
  cut.split = best.split;
  cut.split.score = static_cast<float>(best.objective);
  cut.gain = static_cast<float>(std::max(gain, 0.0));
  cut_node(tree_, partition_, index, data_, threads_);
  choose_missing_side(tree_, at, weights_);
  labels_.push_back(best.left);
  labels_.push_back(best.right);
  const auto left = static_cast<std::size_t>(tree_.nodes[at].left);
  vote(tree_.rows(tree_.nodes[left]), best.left);
  vote(tree_.rows(tree_.nodes[left + 1]), best.right);
  return true;
}

const GrownTree& ExactDirectGrower::grow(const StepCurves& curves, const float* weights,
                                         const Sample& sample) {
  curves_ = &curves;
  weights_ = weights;
  partition_.reset(data_.rows(), sample, threads_);
  tree_.nodes.assign(1, {});
  tree_.partition = &partition_;
  tree_.nodes[0].end = static_cast<std::uint32_t>(partition_.size());
  votes_.assign(data_.rows(), -1);
  labels_.assign(1, 0);
  double objective = 0;
  labels_[0] = best_label(tree_.rows(tree_.nodes[0]), objective);
  std::deque<std::int32_t> queue{0};
  int leaves = 1;
  while (!queue.empty() && (options_.max_leaves == 0 || leaves < options_.max_leaves)) {
    const std::int32_t index = queue.front();
    queue.pop_front();
    if (!grow_node(index, sample.features)) continue;
    ++leaves;
    queue.push_back(tree_.nodes[static_cast<std::size_t>(index)].left);
    queue.push_back(tree_.nodes[static_cast<std::size_t>(index)].right);
  }
  return tree_;
}

}  // namespace simplexboost
