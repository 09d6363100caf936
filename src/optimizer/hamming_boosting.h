// AdaBoost.MH: weights on (example, class) pairs and the Hamming loss (icml2014, section 2).
#pragma once

#include <vector>

#include "base/aligned_vector.h"
#include "optimizer/target/pulls.h"

namespace simplexboost {

struct HammingOptions {
  // A hypothesis says real numbers, whose signs are its votes (Schapire and Singer 1999, section
  // 4); else -1 or +1.
  bool confident = false;
  // A hypothesis may say 0, and has no say then (icml2014, footnote 5).
  bool ternary = false;
  // One class a row: pull towards it by the row's whole weight, for the Gini index of classes.
  bool class_pulls = false;
};

// How much more a class that holds weighs than one that does not, where W starts; 1 for sets of
// labels. The f_l that minimises the mean of W e^{-y f} is 1/2 ln of this times p_l / (1 - p_l).
double first_odds(const Problem& problem);

// W_{i,l} starts as what the user gave (Labels::weights), or else as 1/2 for the class and
// 1/(2(K-1)) for each other one (single-label), or 1/K (multi-label), times the row's weight, and
// is W exp(-h y)/Z after each round. Where it starts as 0 the label is unknown. Here it is
// recomputed from the scores each round, so that no weight is lost to rounding or underflow.
class HammingBoosting : public Optimizer {
 public:
  HammingBoosting(const Problem& problem, const HammingOptions& options);

  // Pull W_{i,l} y_{i,l}; curvature W_{i,l} where the numbers come from it.
  RoundTarget target(const float* scores) override;
  // Votes: alpha = 1/2 ln((1+gamma)/(1-gamma)). Ternary ones: 1/2 ln(W+ / W-) of those that are
  // cast, W- being at least the mean weight of a pair, as Schapire and Singer (1999) smooth it.
  // Numbers: as they are, which is the best step if they are half the log-odds.
  Step step(const RowVectors& hypothesis) override;
  // The weights follow from the scores.
  void resume(const Past& /*past*/) override {}
  bool ends_without_error() const override { return !options_.confident && !options_.ternary; }
  std::vector<RoundMetric> metrics() const override;

 private:
  // The log of sum W0 as the user gave it.
  double log_total() const;
  // Writes log W = log W0 - f y of rows [begin, end) to pulls_; returns the largest, which is taken
  // off before exp.
  float log_pulls(std::size_t begin, std::size_t end, const float* scores);
  Step ternary_step(const RowVectors& hypothesis);
  // The sum of W e^{-h y}.
  double z_of(const RowVectors& hypothesis) const;

  const Problem& problem_;
  std::vector<double> row_log_weights_;  // normalised
  float log_share_yes_ = 0;              // of a label that holds
  float log_share_no_ = 0;
  std::vector<float> label_logs_;  // of what the user gave
  double log_total_ = 0;           // of sum W0, by which all of them are divided
  HammingOptions options_;
  UntouchedVector<float> pulls_;  // W y, summing to 1 in absolute value
  UntouchedVector<float> extra_;  // confident: W; class_pulls: these
  std::vector<float> weights_;    // of the rows: the sum of W over the classes
  double edge_ = 0;
  double z_ = 1;
  double length_ = 0;
  double log_risk_ = 0;  // log of sum W0 exp(-f y)
};

}  // namespace simplexboost
