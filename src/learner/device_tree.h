// A tree with a vector in each leaf that is grown on a device, where the rows of whole rounds are
// (cuda/device_rounds.h): what TreeLearner does here, to the last bit.
#pragma once

#include "cuda/device_rounds.h"
#include "learner/tree_learner.h"

namespace simplexboost {

class DeviceTree : public WeakLearner {
 public:
  // `rows` must outlive it.
  DeviceTree(const BinnedDataset& data, const RowSpace& space, const TreeLearnerOptions& options,
             DeviceRounds& rows);

  // The target's pulls are those that the device has; a hypothesis elsewhere (RowVectors).
  RowVectors fit(const RoundTarget& target, const Sample& sample) override;
  void append_to(Forest& forest, double factor) const override;
  RowVectors apply(const LearnerData& data) override;

 private:
  const BinnedDataset& data_;
  RowSpace space_;
  TreeLearnerOptions options_;
  DeviceRounds& rows_;
  CodewordLeaves codewords_;
  TreeGrower grower_;
  RowStats stats_;
  const GrownTree* tree_ = nullptr;
  Leaves leaves_;
  std::size_t width_ = 0;
  std::vector<std::uint32_t> leaf_elsewhere_;
};

}  // namespace simplexboost
