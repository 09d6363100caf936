// AdaBoost.MH: weights on (example, class) pairs and the Hamming loss (icml2014, section 2).
#pragma once

#include <vector>

#include "base/aligned_vector.h"
#include "optimizer/optimizer.h"

namespace simplexboost {

// W_{i,l} starts as 1/2 for the class and 1/(2(K-1)) for each other one (single-label), or 1/K
// (multi-label), times the row's weight, and is W exp(-h y)/Z after each round. Here it is
// recomputed from the scores each round, so that no weight is lost to rounding or underflow.
class HammingBoosting : public Optimizer {
 public:
  explicit HammingBoosting(const Problem& problem);

  // Pull W_{i,l} y_{i,l}.
  FitTarget target(const float* scores) override;
  // The hypothesis votes -1 or +1 for every class: alpha = 1/2 ln((1+gamma)/(1-gamma)).
  Step step(const RowVectors& hypothesis) override;
  std::vector<RoundMetric> metrics() const override;

 private:
  void sign_row(std::size_t row, float* signs) const;

  const Problem& problem_;
  std::vector<float> row_log_weights_;  // normalised
  float log_share_yes_ = 0;             // of a label that holds
  float log_share_no_ = 0;
  AlignedVector<float> pulls_;  // W y, summing to 1 in absolute value
  std::vector<float> weights_;  // of the rows: the sum of W over the classes
  double edge_ = 0;
  double length_ = 0;
  double log_risk_ = 0;  // log of sum W0 exp(-f y)
};

}  // namespace simplexboost
