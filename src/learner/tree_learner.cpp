#include "learner/tree_learner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tree/leaf/abstention.h"
#include "tree/leaf/leaf_assignment.h"
#include "tree/leaf/leaf_refit.h"
#include "tree/pack.h"

namespace simplexboost {

TreeLearner::TreeLearner(const BinnedDataset& data, const RowSpace& space,
                         const TreeLearnerOptions& options)
    : data_(data),
      space_(space),
      options_(options),
      codewords_(options.codebook),
      grower_(data, space, options.growth) {}

TreeLearner::TreeLearner(const BinnedDataset& data, const RowSpace& space,
                         const TreeLearnerOptions& options, std::unique_ptr<HistogramSource> source)
    : data_(data),
      space_(space),
      options_(options),
      codewords_(options.codebook),
      grower_(data, options.growth, std::move(source)) {}

// Rows whose pulls had no order would let a cut gain about the sum of their squares over that of
// the weights, for each channel; its root is the unit of the noise.
SplitChance TreeLearner::chance(const RoundTarget& target) const {
  if (target.split_noise == 0) return {target.stream, 0};
  const std::vector<double> sums =
      space_.sums(RowSpace::kBlock, 2, [&](std::size_t begin, std::size_t end, double* sum) {
        for (std::size_t i = begin; i < end; ++i) {
          sum[1] += target.weights ? static_cast<double>(target.weights[i]) : 1;
          for (std::size_t j = i * target.width; j < (i + 1) * target.width; ++j)
            sum[0] += static_cast<double>(target.pulls[j]) * static_cast<double>(target.pulls[j]);
        }
      });
  const double unit = stats_.score_unit(CriterionKind::kLeastSquares);
  const double gain = sums[1] > 0 ? sums[0] / sums[1] / unit : 0;
  return {target.stream, static_cast<float>(target.split_noise * std::sqrt(gain))};
}

RowVectors TreeLearner::fit(const RoundTarget& target, const Sample& sample) {
  stats_.assign(target, space_, options_.criterion == CriterionKind::kConfidence);
  const double l2 = target.l2_factor * options_.l2;
  CriterionSpec spec = stats_.criterion(options_.criterion, l2);
  codewords_.set_criterion(target.width, spec);
  tree_ = &grower_.grow(stats_, spec, sample, chance(target));
  set_leaves(*tree_, stats_, options_.leaf_rule, l2, leaves_);
  leaf_width_ = stats_.width();
  output_ = target.to.output;
  leaf_of_row_.resize(data_.rows());
  grower_.assign_leaves(leaves_.of_node, leaf_of_row_.data());
  if (options_.leaf_rule == LeafRule::kTernary)
    abstain(*tree_, target, leaf_of_row_, space_, leaves_);
  if (codewords_) {
    codewords_.set_values(*tree_, target.width, leaves_);
    leaf_width_ = codewords_.dimension();
  } else if (target.leaves) {
    refit_leaves(*tree_, leaf_of_row_, {*target.leaves, target.leaf_weights, l2}, space_, leaves_);
    leaf_width_ = target.leaves->width();
  }
  if (target.leaf_limit > 0)
    for (float& value : leaves_.values)
      value = std::clamp(value, -target.leaf_limit, target.leaf_limit);
  if (options_.growth.monotone)
    bound_leaves(*tree_, *options_.growth.monotone, leaf_width_, leaves_);
  RowVectors hypothesis{leaf_of_row_.data(), leaves_.values.data(), leaf_width_, output_};
  hypothesis.by_leaf = true;
  return hypothesis;
}

bool TreeLearner::fit_votes(const FitTarget& target, const Sample& sample,
                            std::vector<std::int8_t>& votes) {
  const bool stump = options_.criterion == CriterionKind::kVote && options_.growth.max_depth == 1 &&
                     !options_.growth.best_first;
  const bool by_chance = options_.growth.node_features > 0 || options_.growth.drawn_thresholds ||
                         options_.growth.filters > 0;
  if (!stump || by_chance || data_.features() == 0) return false;
  stats_.assign(target, space_);
  const std::vector<ChannelCut> cuts = grower_.best_cuts(stats_, sample);
  const std::size_t width = target.width;
  // The vote of each bin of a channel's feature.
  std::vector<std::vector<std::int8_t>> tables(width);
  for (std::size_t j = 0; j < width; ++j) {
    const FeatureBins& bins = data_.bins(cuts[j].split.feature);
    const SplitPredicate goes_left(cuts[j].split, bins);
    for (std::uint32_t bin = 0; bin < bins.histogram_bins(); ++bin) {
      const bool left = !cuts[j].split.constant && goes_left(bin);
      tables[j].push_back(left == cuts[j].right_up ? -1 : 1);
    }
  }
  votes.resize(data_.rows() * width);
  space_.for_blocks(RowSpace::kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = 0; j < width; ++j)
      data_.visit_values(cuts[j].split.feature, [&](const auto& bins) {
        for (std::size_t i = begin; i < end; ++i) votes[i * width + j] = tables[j][bins[i]];
      });
  });
  return true;
}

void TreeLearner::append_to(Forest& forest, double factor) const {
  pack_tree(*tree_, leaves_, data_.all_bins(), output_, leaf_width_, factor,
            stats_.score_unit(options_.criterion), forest);
}

RowVectors TreeLearner::apply(const LearnerData& data) {
  leaf_elsewhere_.resize(data.bins.rows());
  walk_leaves(*tree_, leaves_.of_node, data.bins, space_.threads(), leaf_elsewhere_.data());
  return {leaf_elsewhere_.data(), leaves_.values.data(), leaf_width_, output_};
}

}  // namespace simplexboost
