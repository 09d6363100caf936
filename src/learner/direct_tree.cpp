#include "learner/direct_tree.h"

#include <cassert>

#include "tree/leaf/leaf_assignment.h"
#include "tree/pack.h"

namespace simplexboost {

DirectTree::DirectTree(const BinnedDataset& data, const GrowthOptions& options, int threads)
    : data_(data),
      threads_(threads),
      grower_(data, options, threads),
      exact_(data, options, threads) {}

RowVectors DirectTree::fit(const RoundTarget& target, const Sample& sample) {
  assert(target.curves);
  const StepCurves& curves = *target.curves;
  const std::vector<std::int32_t>* labels = nullptr;
  if (curves.exact) {
    tree_ = &exact_.grow(curves, target.weights, sample);
    labels = &exact_.labels();
  } else {
    tree_ = &grower_.grow(curves, target.weights, sample, {target.stream, 0});
    labels = &grower_.labels();
  }
  classes_ = curves.classes;
  leaves_.of_node.assign(tree_->nodes.size(), -1);
  leaves_.count = 0;
  leaves_.values.clear();
  for (std::size_t i = 0; i < tree_->nodes.size(); ++i) {
    if (!tree_->nodes[i].leaf()) continue;
    leaves_.of_node[i] = static_cast<std::int32_t>(leaves_.count++);
    leaves_.values.resize(leaves_.count * classes_, 0);
    leaves_.values[leaves_.values.size() - classes_ + static_cast<std::size_t>((*labels)[i])] = 1;
  }
  leaf_of_row_.resize(data_.rows());
  assign_leaves(*tree_, leaves_.of_node, data_, threads_, leaf_of_row_.data());
  RowVectors hypothesis{leaf_of_row_.data(), leaves_.values.data(), classes_, 0};
  hypothesis.by_leaf = true;
  return hypothesis;
}

void DirectTree::append_to(Forest& forest, double factor) const {
  pack_tree(*tree_, leaves_, data_.all_bins(), 0, classes_, factor, 1, forest);
}

RowVectors DirectTree::apply(const LearnerData& data) {
  leaf_elsewhere_.resize(data.bins.rows());
  walk_leaves(*tree_, leaves_.of_node, data.bins, threads_, leaf_elsewhere_.data());
  return {leaf_elsewhere_.data(), leaves_.values.data(), classes_, 0};
}

}  // namespace simplexboost
