// A stump or a tree for each output, all together one hypothesis: what AdaBoost.MH had before its
// cuts were shared by the classes (Schapire and Singer 1999).
#pragma once

#include <cstdint>
#include <vector>

#include "learner/tree_learner.h"

namespace simplexboost {

class OutputTrees : public WeakLearner {
 public:
  // `options` without a codebook.
  OutputTrees(const BinnedDataset& data, const RowSpace& space, const TreeLearnerOptions& options);

  RowVectors fit(const RoundTarget& target, const Sample& sample) override;
  void append_to(Forest& forest, double factor) const override;
  RowVectors apply(const LearnerData& data) override;

 private:
  // The last fit of one output, without its rows.
  struct Fitted {
    GrownTree tree;
    Leaves leaves;
    double gain_unit = 1;
  };
  // One column of the target.
  FitTarget column(const FitTarget& target, std::size_t output);

  const BinnedDataset& data_;
  RowSpace space_;
  TreeLearnerOptions options_;
  TreeGrower grower_;
  RowStats stats_;
  std::size_t output_ = 0;
  std::vector<Fitted> fitted_;
  std::vector<float> pulls_;
  std::vector<float> curvature_;
  std::vector<std::uint32_t> leaf_of_row_;
  std::vector<float> values_;  // rows x outputs
  std::vector<float> values_elsewhere_;
};

}  // namespace simplexboost
