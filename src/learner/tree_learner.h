// Stumps and trees of every kind: a criterion, a leaf rule and a way to grow.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "codeword/codebook.h"
#include "learner/codeword_leaves.h"
#include "learner/weak_learner.h"
#include "tree/grower.h"
#include "tree/leaf/leaf_rule.h"
#include "tree/leaf/monotone.h"

namespace simplexboost {

struct TreeLearnerOptions {
  CriterionKind criterion = CriterionKind::kLeastSquares;
  LeafRule leaf_rule = LeafRule::kMean;
  double l2 = 0;
  GrowthOptions growth;
  // Leaves say codewords (codeword_leaves.h); null: they do not.
  const Codebook* codebook = nullptr;
};

class TreeLearner : public WeakLearner {
 public:
  // `data`: the rows of `space` that are here.
  TreeLearner(const BinnedDataset& data, const RowSpace& space, const TreeLearnerOptions& options);
  TreeLearner(const BinnedDataset& data, const RowSpace& space, const TreeLearnerOptions& options,
              std::unique_ptr<HistogramSource> source);

  RowVectors fit(const RoundTarget& target, const Sample& sample) override;
  bool fit_votes(const FitTarget& target, const Sample& sample,
                 std::vector<std::int8_t>& votes) override;
  void append_to(Forest& forest, double factor) const override;
  RowVectors apply(const LearnerData& data) override;

  const GrownTree& tree() const { return *tree_; }

 private:
  SplitChance chance(const RoundTarget& target) const;

  const BinnedDataset& data_;
  RowSpace space_;
  TreeLearnerOptions options_;
  CodewordLeaves codewords_;
  TreeGrower grower_;
  RowStats stats_;
  const GrownTree* tree_ = nullptr;
  Leaves leaves_;
  std::size_t leaf_width_ = 0;
  std::size_t output_ = 0;  // first of the outputs that the hypothesis is for
  std::vector<std::uint32_t> leaf_of_row_;
  std::vector<std::uint32_t> leaf_elsewhere_;
};

}  // namespace simplexboost
