// A user's gamma-phi pair as a loss: the same figures as the built-in ones, by plain scalar code.
#pragma once

#include <memory>

#include "loss/loss.h"
#include "loss/pairs/pair_limits.h"

namespace simplexboost {

class PairLoss final : public Loss {
 public:
  // Throws a ParameterError if the pair is missing or fails check().
  explicit PairLoss(std::shared_ptr<const GammaPhi> pair);

  std::string name() const override { return pair_->name(); }
  ScaledSum risk(const LossBlock& block) const override;
  double pulls(const LossBlock& block, double log_scale, float* pulls,
               float* curvature) const override;

 private:
  // For few rows; returns the largest w.
  double chunk_pulls(const LossBlock& block, double scale, float* pulls, float* curvature) const;

  std::shared_ptr<const GammaPhi> pair_;
  PairLimits limits_;
};

}  // namespace simplexboost
