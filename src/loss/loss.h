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
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/communicator.h"
#include "base/row_space.h"
#include "loss/loss_block.h"
#include "loss/loss_facts.h"
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

// A loss that does not take parts (LossFacts) is asked by all ranks together, each about all of the
// rows that are there, and tells the risk of the rows of all ranks.
class Loss {
 public:
  explicit Loss(const LossFacts& facts) : facts_(facts) {}
  virtual ~Loss() = default;

  virtual std::string name() const = 0;
  const LossFacts& facts() const { return facts_; }

  // Sum over the rows of weight * L.
  virtual ScaledSum risk(const LossBlock& block) const = 0;

  // Writes weight * P * exp(-log_scale), and with `curvature` (else null) weight * H *
  // exp(-log_scale), both rows x classes. Returns the log of the largest w of a row of positive
  // weight, to within a small factor; -infinity if there is none. Where that is far from log_scale,
  // what was written has lost its digits: class_pulls() tries again.
  virtual double pulls(const LossBlock& block, double log_scale, float* pulls,
                       float* curvature) const = 0;

 private:
  LossFacts facts_;
};

// The rows of the table (loss_table.h); null where there is none of the name.
std::span<const LossFacts> loss_table();
const LossFacts* find_loss(std::string_view name);

// A row by its name; throws a ParameterError that lists them.
std::shared_ptr<const Loss> make_loss(std::string_view name);
// A user's pair, checked.
std::shared_ptr<const Loss> make_loss(std::shared_ptr<const GammaPhi> pair);
// A user's objective, which sees `scale` times the class scores u of the rows of all ranks.
std::shared_ptr<const Loss> make_loss(std::shared_ptr<const Objective> objective, double scale,
                                      Communicator& ranks);

// Of all rows of the space; `here`: those that are here.
ScaledSum total_risk(const Loss& loss, const LossBlock& here, const RowSpace& space);
// fill(log_scale) once or, where pulls at 0 would leave the range of float, twice: as
// Loss::pulls(). Returns the last log_scale.
double fill_in_range(const std::function<double(double log_scale)>& fill);
// Returns the log_scale of what is written: 0 unless the pulls would leave the range of float. So
// pulls are not all zero as long as any row's w is not exactly zero.
double class_pulls(const Loss& loss, const LossBlock& here, const RowSpace& space, float* pulls,
                   float* curvature);

}  // namespace simplexboost
