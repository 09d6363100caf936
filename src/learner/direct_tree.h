// Trees for dmcboost: one vote in each leaf, searched for by the objective itself (kdd2014).
#pragma once

#include <cstdint>
#include <vector>

#include "learner/weak_learner.h"
#include "tree/direct_grower.h"
#include "tree/exact_direct_grower.h"
#include "tree/leaf/leaf_rule.h"

namespace simplexboost {

class DirectTree : public WeakLearner {
 public:
  DirectTree(const BinnedDataset& data, const GrowthOptions& options, int threads);

  // The target must have curves.
  RowVectors fit(const RoundTarget& target, const Sample& sample) override;
  void append_to(Forest& forest, double factor) const override;
  RowVectors apply(const LearnerData& data) override;

 private:
  const BinnedDataset& data_;
  int threads_;
  DirectGrower grower_;
  ExactDirectGrower exact_;
  const GrownTree* tree_ = nullptr;
  Leaves leaves_;  // 1 for the label, 0 elsewhere
  std::size_t classes_ = 0;
  std::vector<std::uint32_t> leaf_of_row_;
  std::vector<std::uint32_t> leaf_elsewhere_;
};

}  // namespace simplexboost
