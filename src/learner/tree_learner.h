// Stumps and trees of every kind: a criterion, a leaf rule and a way to grow.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "codeword/codebook.h"
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
  // Leaves say codewords: the target is the pull on each output or, for simplex and canonical
  // codewords, where the width says so, that of each class. Null: no codewords.
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
  CriterionSpec criterion(const RoundTarget& target);
  SplitChance chance(const RoundTarget& target) const;
  void spread_codewords();
  // Whether the target is the pull of each class.
  bool in_classes(const RoundTarget& target) const;
  void set_codeword_leaves(bool by_class);

  const BinnedDataset& data_;
  RowSpace space_;
  TreeLearnerOptions options_;
  TreeGrower grower_;
  RowStats stats_;
  const GrownTree* tree_ = nullptr;
  Leaves leaves_;
  std::size_t leaf_width_ = 0;
  std::size_t output_ = 0;                   // first of the outputs that the hypothesis is for
  std::vector<float> codewords_;             // classes x outputs
  std::vector<float> transposed_codewords_;  // outputs x padded classes
  std::vector<std::uint32_t> leaf_of_row_;
  std::vector<std::uint32_t> leaf_elsewhere_;
};

}  // namespace simplexboost
