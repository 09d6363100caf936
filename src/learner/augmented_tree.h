// Trees on pairs (x, y) of a row and a class, as AdaBoost-MH has them in nips2011, section 4: the
// class is one more feature, and a leaf says -1 or +1 for the pairs that fall into it. A node has
// some rows and some classes; a cut parts its rows by a feature, or its classes.
//
// Stumps on pairs are poor: each looks at x alone, or at y alone, so that a sum of them is
// a(x) + b(y), and the class of the largest sum is the same for all x.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learner/weak_learner.h"
#include "tree/grower.h"
#include "tree/histogram/row_stats.h"
#include "tree/leaf/leaf_rule.h"

namespace simplexboost {

// Deeper trees would have too many leaves once classes that were cut apart are joined again.
inline constexpr int kMostAugmentedDepth = 4;

class AugmentedTree : public WeakLearner {
 public:
  // The depth is `growth.max_depth`. Throws a ParameterError where it is too large.
  AugmentedTree(const BinnedDataset& data, const RowSpace& space, const GrowthOptions& growth);

  RowVectors fit(const RoundTarget& target, const Sample& sample) override;
  // As a tree of the features alone, whose leaves have a vote for each class.
  void append_to(Forest& forest, double factor) const override;
  RowVectors apply(const LearnerData& data) override;

 private:
  // A node of the tree on pairs. Where neither child is there it is a leaf.
  struct PairNode {
    std::vector<std::uint32_t> classes;
    float vote = 1;
    bool cuts_classes = false;
    Split split;
    float gain = 0;
    std::int32_t left = -1;
    std::int32_t right = -1;
  };
  struct FeatureCut;

  std::int32_t grow(std::vector<std::uint32_t> rows, std::vector<std::uint32_t> classes, int depth);
  FeatureCut best_feature_cut(const std::vector<std::uint32_t>& rows,
                              const std::vector<std::uint32_t>& classes);
  double pull_of(std::uint32_t row, const std::vector<std::uint32_t>& classes) const;
  // add(row, sums) of the rows of all ranks, one after the other in their order.
  template <class Add>
  std::vector<double> sums_of(const std::vector<std::uint32_t>& rows, std::size_t width,
                              const Add& add) const;
  std::int32_t join(std::vector<std::int32_t> active, std::int32_t parent);

  const BinnedDataset& data_;
  RowSpace space_;
  int depth_;
  TreeGrower grower_;
  RowStats stats_;
  RoundTarget target_;
  Sample sample_;
  std::uint64_t stream_ = 0;
  std::vector<float> pulls_;  // of each row, for and against the pairs of a node
  std::vector<PairNode> nodes_;
  GrownTree tree_;
  Leaves leaves_;
  std::vector<std::uint32_t> leaf_of_row_;
  std::vector<std::uint32_t> leaf_elsewhere_;
};

}  // namespace simplexboost
