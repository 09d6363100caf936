// Stumps and trees of every kind: a criterion, a leaf rule and a way to grow.
#pragma once

#include <cstdint>
#include <vector>

#include "learner/weak_learner.h"
#include "tree/grower.h"
#include "tree/leaf_rule.h"

namespace simplexboost {

struct TreeLearnerOptions {
  CriterionKind criterion = CriterionKind::kLeastSquares;
  LeafRule leaf_rule = LeafRule::kMean;
  double l2 = 0;
  GrowthOptions growth;
};

class TreeLearner : public WeakLearner {
 public:
  TreeLearner(const BinnedDataset& data, const TreeLearnerOptions& options);

  RowVectors fit(const FitTarget& target, const Sample& sample) override;
  void append_to(Forest& forest, double factor) const override;
  RowVectors apply(const LearnerData& data) override;

  const GrownTree& tree() const { return *tree_; }

 private:
  const BinnedDataset& data_;
  TreeLearnerOptions options_;
  TreeGrower grower_;
  RowStats stats_;
  const GrownTree* tree_ = nullptr;
  Leaves leaves_;
  std::vector<std::uint32_t> leaf_of_row_;
  std::vector<std::uint32_t> leaf_elsewhere_;
};

}  // namespace simplexboost
