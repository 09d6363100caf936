#include "learner/tree_learner.h"

#include "tree/leaf_assignment.h"
#include "tree/pack.h"

namespace simplexboost {

TreeLearner::TreeLearner(const BinnedDataset& data, const TreeLearnerOptions& options)
    : data_(data), options_(options), grower_(data, options.growth) {}

RowVectors TreeLearner::fit(const FitTarget& target, const Sample& sample) {
  const int threads = options_.growth.threads;
  stats_.assign(target, threads);
  const CriterionSpec criterion = stats_.criterion(options_.criterion, options_.l2);
  tree_ = &grower_.grow(stats_, criterion, sample.rows, sample.features);
  set_leaves(*tree_, stats_, options_.leaf_rule, options_.l2, leaves_);
  leaf_of_row_.resize(data_.rows());
  assign_leaves(*tree_, leaves_.of_node, data_, threads, leaf_of_row_.data());
  return {leaf_of_row_.data(), leaves_.values.data(), stats_.width(), 0};
}

void TreeLearner::append_to(Forest& forest, double factor) const {
  pack_tree(*tree_, leaves_, data_.all_bins(), 0, stats_.width(), factor,
            stats_.score_unit(options_.criterion), forest);
}

RowVectors TreeLearner::apply(const LearnerData& data) {
  leaf_elsewhere_.resize(data.bins.rows());
  walk_leaves(*tree_, leaves_.of_node, data.bins, options_.growth.threads, leaf_elsewhere_.data());
  return {leaf_elsewhere_.data(), leaves_.values.data(), stats_.width(), 0};
}

}  // namespace simplexboost
