#include "learner/device_tree.h"

#include "cuda/training_device.h"
#include "tree/leaf/leaf_assignment.h"
#include "tree/pack.h"

namespace simplexboost {

DeviceTree::DeviceTree(const BinnedDataset& data, const RowSpace& space,
                       const TreeLearnerOptions& options, DeviceRounds& rows)
    : data_(data),
      space_(space),
      options_(options),
      rows_(rows),
      codewords_(options.codebook),
      grower_(data, options.growth, rows.make_source()) {}

RowVectors DeviceTree::fit(const RoundTarget& target, const Sample& sample) {
  const double l2 = target.l2_factor * options_.l2;
  rows_.quantise(stats_);
  CriterionSpec spec = stats_.criterion(options_.criterion, l2);
  codewords_.set_criterion(target.width, spec);
  tree_ = &grower_.grow(stats_, spec, sample, {target.stream, 0});
  set_leaves(*tree_, stats_, options_.leaf_rule, l2, leaves_);
  rows_.assign_leaves(*tree_, leaves_);
  width_ = stats_.width();
  if (codewords_) {
    codewords_.set_values(*tree_, target.width, leaves_);
    width_ = codewords_.dimension();
  } else if (target.leaves) {
    rows_.refit(*target.leaves, l2, leaves_);
    width_ = target.leaves->width();
  }
  if (options_.growth.monotone) bound_leaves(*tree_, *options_.growth.monotone, width_, leaves_);
  RowVectors hypothesis{nullptr, leaves_.values.data(), width_, target.to.output};
  hypothesis.by_leaf = true;
  hypothesis.elsewhere = leaves_.count;
  return hypothesis;
}

void DeviceTree::append_to(Forest& forest, double factor) const {
  pack_tree(*tree_, leaves_, data_.all_bins(), 0, width_, factor,
            stats_.score_unit(options_.criterion), forest);
}

RowVectors DeviceTree::apply(const LearnerData& data) {
  if (data.device && data.device->watched) {
    data.device->watched->walk(*tree_, leaves_.of_node);
    RowVectors values{nullptr, leaves_.values.data(), width_, 0};
    values.elsewhere = leaves_.count;
    return values;
  }
  leaf_elsewhere_.resize(data.bins.rows());
  walk_leaves(*tree_, leaves_.of_node, data.bins, space_.threads(), leaf_elsewhere_.data());
  return {leaf_elsewhere_.data(), leaves_.values.data(), width_, 0};
}

}  // namespace simplexboost
