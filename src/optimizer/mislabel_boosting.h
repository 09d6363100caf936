// Boosting by weights on mislabels: pairs of a label that holds and one that does not. AdaBoost.MM,
// AdaBoost.M2 and AdaBoost.MR differ in what a hypothesis may say and in the scale of the scores.
#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/target/mislabel_weights.h"

namespace simplexboost {

struct MislabelOptions {
  double rate = 0.5;         // of the weights: 1/2 (M2, MR: Schapire and Singer 1999), or 1 (MM)
  double lowest = 0;         // a hypothesis says `lowest` to 1 of every class
  bool shares = false;       // a hypothesis says shares of the weights of the rows' own classes
  bool pseudo_loss = false;  // log the pseudo-loss and its bound instead of the edge
};

class MislabelBoosting : public Optimizer {
 public:
  MislabelBoosting(const Problem& problem, const MislabelOptions& options);

  // Pull: for c the weight of all mislabels (i, l, c), for l minus that. A hypothesis that
  // maximises sum <R, h> minimises the pseudo-loss (1 - U) / 2, U = sum <R, h> / (1 - lowest).
  // With shares, what they are shares of stands in the place of curvatures.
  RoundTarget target(const float* scores) override;
  // rate (1 - lowest) alpha = 1/2 ln((1 + U) / (1 - U)).
  Step step(const RowVectors& hypothesis) override;
  void advance(const RowVectors& hypothesis, double length) override;
  void resume(const Past& past) override;
  std::vector<std::byte> state() const override;
  bool ends_without_error() const override { return true; }
  std::vector<RoundMetric> metrics() const override;

 private:
  const Problem& problem_;
  MislabelOptions options_;
  MislabelWeights mislabels_;
  std::vector<float> own_pulls_;  // with shares: those of the row's class, which are positive
  bool first_ = true;             // no round was done
  double edge_ = 0;               // U
  double lack_ = 0;               // 1 - U
  double length_ = 0;
  double log_bound_ = 0;
};

}  // namespace simplexboost
