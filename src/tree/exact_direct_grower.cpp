#include "tree/exact_direct_grower.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>

#include "base/stop.h"

namespace simplexboost {
namespace {

constexpr double kWorst = -std::numeric_limits<double>::infinity();

// The bins of a feature that some of the rows have, ascending.
std::vector<std::uint32_t> present_bins(const BinnedDataset& data, std::uint32_t feature,
                                        std::span<const std::uint32_t> rows) {
  std::vector<std::uint32_t> bins;
  data.visit([&]<class Bin>(const Bin*) {
    const auto values = data.values<Bin>(feature);
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
  data_.visit([&]<class Bin>(const Bin*) {
    const SplitPredicate goes_left(split, data_.bins(split.feature));
    const auto values = data_.values<Bin>(split.feature);
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

void ExactDirectGrower::try_numeric(std::int32_t index, std::uint32_t feature, Candidate& best) {
  const GrownNode& node = tree_.nodes[static_cast<std::size_t>(index)];
  const std::vector<std::uint32_t> present = present_bins(data_, feature, tree_.rows(node));
  const bool missing = present.back() == data_.bins(feature).missing_bin();
  Split split;
  split.feature = feature;
  split.missing_seen = missing;
  for (int missing_left = 0; missing_left <= (missing ? 1 : 0); ++missing_left) {
    split.missing_left = missing_left != 0;
    for (std::size_t i = 0; i < present.size() - (missing ? 1 : 0); ++i) {
      split.bin = present[i];
      try_cut(index, split, best);
    }
  }
}

void ExactDirectGrower::try_categorical(std::int32_t index, std::uint32_t feature,
                                        Candidate& best) {
  const GrownNode& node = tree_.nodes[static_cast<std::size_t>(index)];
  const FeatureBins& bins = data_.bins(feature);
  const std::vector<std::uint32_t> present = present_bins(data_, feature, tree_.rows(node));
  if (present.size() < 2) return;
  const auto try_set = [&](std::uint64_t members) {
    Split split;
    split.feature = feature;
    split.categorical = true;
    split.left_set.assign(bins.value_bins / 32 + 1, 0);
    for (std::size_t i = 0; i < present.size(); ++i)
      if ((members >> i & 1) != 0) split.left_set[present[i] / 32] |= 1U << (present[i] % 32);
    // Categories that are not here go where missing values go: right, unless those are left.
    split.missing_left = in_set(split.left_set, bins.missing_bin());
    if (split.missing_left)
      for (std::uint32_t bin = 0; bin < bins.value_bins; ++bin)
        if (!std::binary_search(present.begin(), present.end(), bin))
          split.left_set[bin / 32] |= 1U << (bin % 32);
    try_cut(index, split, best);
  };
  const bool subset = options_.categorical == CategoricalSplits::kSubset;
  if (subset && present.size() <= kExactCategories) {
    for (std::uint64_t members = 0; members < 1ULL << (present.size() - 1); ++members)
      try_set(2 * members + 1);
    return;
  }
  for (std::size_t i = 0; i < present.size() && i < 64; ++i) try_set(1ULL << i);
}

bool ExactDirectGrower::grow_node(std::int32_t index, std::span<const std::uint32_t> features) {
  const auto at = static_cast<std::size_t>(index);
  const GrownNode& node = tree_.nodes[at];
  if (options_.max_depth > 0 && node.depth >= options_.max_depth) return false;
  Candidate best{kWorst, {}};
  const double now = curves_->exact(votes_);
  for (std::size_t f = 0; f < (features.empty() ? data_.features() : features.size()); ++f) {
    check_stop();
    const std::uint32_t feature = features.empty() ? static_cast<std::uint32_t>(f) : features[f];
    if (data_.bins(feature).type == FeatureType::kCategorical) {
      try_categorical(index, feature, best);
    } else {
      try_numeric(index, feature, best);
    }
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
  partition_.reset(data_.rows(), sample);
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
