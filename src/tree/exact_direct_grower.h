// Grows the trees of dmcboost by the letter (kdd2014, Algorithm 1.2): a line search over all rows
// for every cut and label. Slow; for small data, and to compare the other grower with.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/binned_dataset.h"
#include "optimizer/search/step_curves.h"
#include "tree/growth.h"

namespace simplexboost {

class ExactDirectGrower {
 public:
  // `data` must outlive the grower.
  ExactDirectGrower(const BinnedDataset& data, const GrowthOptions& options, int threads);

  // `curves.exact` must be set. Rows outside the sample get no vote in the searches.
  const GrownTree& grow(const StepCurves& curves, const float* weights, const Sample& sample = {});

  // Of each node of the last tree; those of leaves count.
  const std::vector<std::int32_t>& labels() const { return labels_; }

 private:
  struct Candidate {
    double objective;
    Split split;
    std::int32_t left = 0;
    std::int32_t right = 0;
  };
  struct Cuts;

  void try_cut(std::int32_t node, const Split& split, Candidate& best);
  void try_feature(std::int32_t node, std::uint32_t feature, Candidate& best);
  // The label that is best for these rows while all others keep their votes.
  std::int32_t best_label(std::span<const std::uint32_t> rows, double& objective);
  void vote(std::span<const std::uint32_t> rows, std::int32_t label);
  bool grow_node(std::int32_t node, std::span<const std::uint32_t> features);

  const BinnedDataset& data_;
  GrowthOptions options_;
  int threads_;
  const StepCurves* curves_ = nullptr;
  const float* weights_ = nullptr;
  GrownTree tree_;
  RowPartition partition_;
  std::vector<std::int32_t> labels_;
  std::vector<std::int32_t> votes_;  // of the rows; -1: none
};

}  // namespace simplexboost
