// Gamma-phi losses (jmlr2019, section 4): from labels and class scores to the risk, its pull on the
// scores and its curvature. Used once a round on blocks of rows; the codebook turns class pulls
// into pulls on the scores of the ensemble.
//
// With u the class scores of a row of class c, v_l = u_c - u_l and S = sum_{l != c} phi(v_l):
//
//   loss       L   = gamma(S)
//   pull       P_k = -dL/du_k:   P_c = w,  P_k = -w tau_k      jmlr2019 (29), (30)
//   curvature  H_k = d2L/du_k2, or above it where that is not positive
//
// The weights w of a well fitted set, and those of the exponential loss on hard rows, leave the
// range of floating point. So risk and pulls come with the log of a common factor.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/row_space.h"
#include "loss/loss_block.h"
#include "simplexboost/loss.h"

namespace simplexboost {

// value * exp(log_scale), for sums of any size.
struct ScaledSum {
  double value = 0;
  double log_scale = 0;

  void add(const ScaledSum& other);
  double log() const;    // -infinity for 0
  double plain() const;  // may be 0 or infinite
};

class Loss {
 public:
  virtual ~Loss() = default;

  virtual std::string name() const = 0;

  // Sum over the rows of weight * L.
  virtual ScaledSum risk(const LossBlock& block) const = 0;

  // Writes weight * P * exp(-log_scale), and with `curvature` (else null) weight * H *
  // exp(-log_scale), both rows x classes. Returns the log of the largest w of a row of positive
  // weight, to within a small factor; -infinity if there is none. Where that is far from log_scale,
  // what was written has lost its digits: class_pulls() tries again.
  virtual double pulls(const LossBlock& block, double log_scale, float* pulls,
                       float* curvature) const = 0;

  // Class probabilities, rows x classes, for which the scores minimise the expected loss.
  virtual void posteriors(std::size_t rows, std::size_t classes, const float* scores,
                          float* probabilities) const = 0;

  // What holds of every gamma-phi loss, and not of every user's objective: rows may be looked at in
  // parts, by several threads; risk() has an answer; only differences of scores matter.
  virtual bool takes_parts() const { return true; }
  virtual bool knows_risk() const { return true; }
  virtual bool of_margins() const { return true; }
  // Whether H_k = |P_k| (2 - |P_k|) for rows of weight 1, so that nobody need keep both.
  virtual bool curvature_from_pulls() const { return false; }

  // Rows in a block where `block` would do.
  std::size_t rows_at_once(std::size_t block, std::size_t all) const {
    return takes_parts() || all == 0 ? block : all;
  }
};

// "exponential", "logistic", "savage"; throws a ParameterError that lists them.
std::shared_ptr<const Loss> make_loss(std::string_view name);
// A user's pair, checked.
std::shared_ptr<const Loss> make_loss(std::shared_ptr<const GammaPhi> pair);
// A user's objective, which sees `scale` times the class scores u.
std::shared_ptr<const Loss> make_loss(std::shared_ptr<const Objective> objective, double scale);
std::span<const std::string_view> loss_names();

// Of all rows of the space; `here`: those that are here.
ScaledSum total_risk(const Loss& loss, const LossBlock& here, const RowSpace& space);
// Returns the log_scale of what is written: 0 unless the pulls would leave the range of float. So
// pulls are not all zero as long as any row's w is not exactly zero.
double class_pulls(const Loss& loss, const LossBlock& here, const RowSpace& space, float* pulls,
                   float* curvature);

}  // namespace simplexboost
