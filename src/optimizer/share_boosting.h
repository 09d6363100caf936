// GrPloss and BoostMA (jmlr2005): weights on examples, and hypotheses that say a share h(x, y) of
// every class. They bound the pseudo-loss error and the maxlabel error of the training set.
#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/target/pulls.h"

namespace simplexboost {

enum class ShareStep : std::uint8_t {
  kGeneral,     // GrPloss, Figure 3: any h in [0, 1]
  kNormalised,  // GrPloss, section 2.3: shares that sum to 1
  kMaxLabel,    // BoostMA, Figure 4: against the uninformed share c
};

struct ShareOptions {
  double c = 0;            // BoostMA's; 0: the sum of the squared shares of the classes (21)
  bool sets = false;       // h says 0 or 1 of every class, instead of shares
  bool full_steps = true;  // steps are not cut short, so that the theorems' tails hold
};

class ShareBoosting : public Optimizer {
 public:
  ShareBoosting(const Problem& problem, ShareStep kind, const ShareOptions& options);

  // Shares: pull D_i e_{c_i}; the Gini index of the weights is what raises r = sum D_i h(x_i, c_i).
  // Sets: pull D_i (e_{c_i} - the mean of the others), whose sum over what h says is U; or, with
  // BoostMA, D_i (e_{c_i} - c), so that h names the classes of more than the uninformed share.
  RoundTarget target(const float* scores) override;
  Step step(const RowVectors& hypothesis) override;
  void advance(const RowVectors& hypothesis, double length) override;
  // The weights follow from the scores, the bounds from the log.
  void resume(const Past& past) override;
  bool ends_without_error() const override { return true; }
  Ending ending(std::size_t rounds) const override;
  std::vector<RoundMetric> metrics() const override;

 private:
  // Of a row: what is said of its class, and the mean of what is said of the others.
  struct OwnAndOthers {
    double own = 0;
    double others = 0;
  };
  OwnAndOthers own_and_others(const float* values, std::size_t row) const;
  // What a row's log weight falls by for these values: u / 2, or h(x_i, c_i). The -c of the others
  // is common to all rows.
  double fall(const OwnAndOthers& values) const;
  // D = D_0 e^{-fall of the scores}, normalised.
  void weigh();
  double uninformed_share() const;
  // alpha for U, or r.
  double best_length(double quality) const;
  void take_length(double length);
  RoundTarget set_target();
  std::vector<RoundMetric> bounds() const;

  const Problem& problem_;
  ShareStep kind_;
  ShareOptions options_;
  double c_ = 0;
  LogWeights weights_;                 // D
  std::vector<double> first_logs_;     // of D_0
  std::vector<double> first_weights_;  // sum 1
  OwnClassPulls pulls_;
  std::vector<float> set_pulls_;
  std::vector<float> row_weights_;
  const float* scores_ = nullptr;  // f(x, y)
  bool first_ = true;              // the weights are not those of the scores yet
  std::vector<double> lengths_;
  double total_ = 0;    // their sum
  double quality_ = 0;  // U, or r
  // Logs of products over the rounds.
  double log_bound_24_ = 0;  // of Z
  double log_bound_9_ = 0;   // from U
  double log_convex_ = 0;    // from r: (13), or (20)
  double least_edge_ = 1;    // delta: the least U so far, or r - c
};

}  // namespace simplexboost
