// A user's objective as a loss: checked, weighted, and seen from the class scores u.
#pragma once

#include <memory>

#include "loss/loss.h"

namespace simplexboost {

class ObjectiveLoss final : public Loss {
 public:
  // The objective sees scale * u. Throws a ParameterError if it is missing.
  ObjectiveLoss(std::shared_ptr<const Objective> objective, double scale);

  std::string name() const override { return objective_->name(); }
  // Of value 0 where the objective has no losses.
  ScaledSum risk(const LossBlock& block) const override;
  double pulls(const LossBlock& block, double log_scale, float* pulls,
               float* curvature) const override;

 private:
  std::shared_ptr<const Objective> objective_;
  double scale_;
};

}  // namespace simplexboost
