// GrPloss and BoostMA (jmlr2005): weights on examples, and hypotheses that say a share h(x, y) of
// every class. They bound the pseudo-loss error and the maxlabel error of the training set.
#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/pulls.h"

namespace simplexboost {

enum class ShareStep : std::uint8_t {
  kGeneral,     // GrPloss, Figure 3: any h in [0, 1]
  kNormalised,  // GrPloss, section 2.3: shares that sum to 1
  kMaxLabel,    // BoostMA, Figure 4: against the uninformed share c
};

class ShareBoosting : public Optimizer {
 public:
  // `c`: BoostMA's, 0 for the sum of the squared shares of the classes (21). Others: ignored.
  ShareBoosting(const Problem& problem, ShareStep kind, double c);

  // Pull D_i e_{c_i}: the Gini index of the weights is what raises r = sum D_i h(x_i, c_i).
  FitTarget target(const float* scores) override;
  Step step(const RowVectors& hypothesis) override;
  void advance(const RowVectors& hypothesis, double length) override;
  double final_scale(std::size_t rounds) const override;
  std::vector<RoundMetric> metrics() const override;

 private:
  // What a row's log weight falls by for a step of 1: u(h, i) / 2, or h(x_i, c_i) - c.
  double gain(const RowVectors& hypothesis, std::size_t row) const;
  void add_bounds(double length);

  const Problem& problem_;
  ShareStep kind_;
  double c_ = 0;
  LogWeights weights_;                 // D
  std::vector<double> first_weights_;  // sum 1
  std::vector<float> pulls_;
  std::vector<float> row_weights_;
  std::vector<double> own_;     // f(x_i, c_i)
  std::vector<double> others_;  // mean of f(x_i, y), y not c_i
  std::vector<double> lengths_;
  double quality_ = 0;      // U, or r
  double full_length_ = 0;  // alpha of the last hypothesis
  // Logs of products over the rounds.
  double log_bound_24_ = 0;  // of Z
  double log_bound_9_ = 0;   // from U
  double log_convex_ = 0;    // from r: (13), or (20)
};

}  // namespace simplexboost
