// Weights on mislabels: pairs of a label that holds for a row and one that does not.
#pragma once

#include <cstddef>
#include <vector>

#include "optimizer/target/pulls.h"

namespace simplexboost {

// The weight of a mislabel (i, l, c), l not a label of row i and c one, is in proportion to
// exp(rate (f_l - f_c)). The weights are recomputed from the scores each round, row by row in log
// space, so that none is lost for good.
class MislabelWeights {
 public:
  MislabelWeights(const Problem& problem, double rate);

  void set_scores(const float* scores);

  // Rows x classes: for c the weight of all mislabels (i, l, c), for l minus that; the positive
  // ones sum to 1.
  const std::vector<float>& pulls() const { return pulls_; }
  // Of each row, over all its mislabels.
  const std::vector<float>& rows() const { return weights_; }
  // Log of the mean of exp(rate (f_l - f_c)) over mislabels.
  double log_risk() const { return log_risk_; }
  // Whether no row has both a label that holds and one that does not.
  bool none() const;

 private:
  double weigh_row(std::size_t row, const float* scores, float* pulls) const;

  const Problem& problem_;
  float rate_;
  LogWeights row_weights_;
  std::vector<double> first_logs_;  // of the rows' own weights, normalised
  std::vector<float> pulls_;
  std::vector<float> weights_;
  double log_risk_ = 0;
};

}  // namespace simplexboost
