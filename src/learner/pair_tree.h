// Trees whose nodes each move one pair of classes against each other (AOSO-LogitBoost: Sun, Reid,
// Zhou 2012). A leaf adds t to the score of one class and -t to that of another.
//
// From the slopes g_k = r_k - p_k of the rows of a node, and their curvatures, with sums over them:
//
//   r = argmax_k G_k,   s = argmax_s (G_r - G_s)^2 / (H_rr + H_ss + 2 sum p_r p_s)
//   t = (G_r - G_s) / (H_rr + H_ss + 2 sum p_r p_s)
//
// A node is cut by the gain of its own pair, a scalar problem; each child then takes the pair that
// serves it best.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "learner/weak_learner.h"
#include "tree/grower.h"
#include "tree/leaf/leaf_rule.h"
#include "tree/leaf/value_sums.h"

namespace simplexboost {

// The target has a channel for each class: the pulls w (r_k - p_k), the curvatures w p_k (1 - p_k)
// and the weights w of the rows.
class PairTreeLearner : public WeakLearner, private NodeStats {
 public:
  PairTreeLearner(const BinnedDataset& data, const RowSpace& space, double l2,
                  const GrowthOptions& growth);

  RowVectors fit(const RoundTarget& target, const Sample& sample) override;
  void append_to(Forest& forest, double factor) const override;
  RowVectors apply(const LearnerData& data) override;

 private:
  // The class whose score rises and the one whose score falls.
  struct Pair {
    std::size_t up = 0;
    std::size_t down = 1;
  };

  void enter(const GrownTree& tree, std::size_t node) override;
  void start_stats();
  // Sums over rows, in units: of the slopes, then of the curvatures, of the classes.
  std::vector<std::int64_t> slopes_and_curvatures(std::span<const std::uint32_t> rows) const;
  // Of w p_k p_other, for every other class.
  std::vector<std::int64_t> products(std::span<const std::uint32_t> rows, std::size_t k) const;
  Pair choose_pair(std::span<const std::uint32_t> rows,
                   const std::vector<std::int64_t>& sums) const;
  void set_rows(std::span<const std::uint32_t> rows, const Pair& pair);
  void set_leaf_vectors();
  // w p_k: r - g where the class is the row's own, whose slope alone is positive.
  static float share(float pull, float weight) { return pull > 0 ? weight - pull : -pull; }

  const BinnedDataset& data_;
  RowSpace space_;
  double l2_;
  TreeGrower grower_;
  RowStats stats_;
  RoundTarget target_;
  const GrownTree* tree_ = nullptr;
  std::vector<Pair> pairs_;                      // of the nodes
  std::vector<std::vector<std::int64_t>> sums_;  // of the nodes: slopes_and_curvatures()
  SumUnit unit_{0, 0};                           // of them
  Leaves leaves_;
  std::vector<std::uint32_t> leaf_of_row_;
  std::vector<std::uint32_t> leaf_elsewhere_;
};

}  // namespace simplexboost
