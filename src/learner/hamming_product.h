// Products of cuts that vote for or against every class: h(x) = v phi_1(x) ... phi_m(x), with
// phi_j(x) = -1 left and +1 right of cut j and v in {-1, +1}^d (Kégl and Busa-Fekete 2009).
// Products of two cuts already say "exclusive or", which no sum of stumps says.
#pragma once

#include <cstdint>
#include <vector>

#include "learner/weak_learner.h"
#include "tree/grower.h"
#include "tree/histogram/row_stats.h"

namespace simplexboost {

// 2^m leaves at most.
inline constexpr int kMostFactors = 12;

struct HammingProductOptions {
  int factors = 3;  // m, 1 to kMostFactors
  GrowthOptions growth;
};

// All factors start as +1. Each in turn is replaced by the best Hamming stump for the pulls times
// the signs of the others, with a new v, until no replacement raises the edge. A factor that no cut
// improves stays constant and takes no part in the tree.
class HammingProduct : public WeakLearner {
 public:
  HammingProduct(const BinnedDataset& data, const RowSpace& space,
                 const HammingProductOptions& options);

  RowVectors fit(const RoundTarget& target, const Sample& sample) override;
  // As a tree in which every path asks the factors in turn, but for those whose answer it knows.
  void append_to(Forest& forest, double factor) const override;
  RowVectors apply(const LearnerData& data) override;

  // The edges of the last fit: of the best single cut, then after each improvement; ascending.
  const std::vector<double>& edges() const { return edges_; }

 private:
  bool refit(std::size_t factor, const CriterionSpec& criterion, const Sample& sample);
  void set_signs(const BinnedDataset& data, const Split& split,
                 std::vector<std::uint8_t>& negative) const;

  const BinnedDataset& data_;
  RowSpace space_;
  HammingProductOptions options_;
  TreeGrower grower_;
  RowStats stats_;
  std::vector<Split> splits_;                        // constant: +1
  std::vector<std::vector<std::uint8_t>> negative_;  // factors x rows: phi_j(x_i) = -1
  std::vector<std::uint8_t> flipped_;                // rows whose pulls are turned in stats_
  std::vector<std::uint8_t> wanted_;
  std::int64_t edge_ = 0;  // in units of the statistics
  std::vector<double> edges_;
  std::uint64_t stream_ = 0;                // of the next cut
  std::size_t output_ = 0;                  // the first that the last target was for
  std::vector<float> votes_;                // -v, then +v
  std::vector<std::uint32_t> vote_of_row_;  // 0: -v, 1: +v
  std::vector<std::uint32_t> vote_elsewhere_;
};

}  // namespace simplexboost
