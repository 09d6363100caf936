// A built-in loss: a row of the table, and the loops that belong to its formula.
#pragma once

#include "loss/loss.h"
#include "loss/loss_kernels.h"

namespace simplexboost {

// Rows that the loops take together: so few that their pulls stay in the cache.
std::size_t loss_chunk_rows(std::size_t classes);

class BuiltinLoss final : public Loss {
 public:
  // Both outlive it.
  BuiltinLoss(const LossFacts& facts, const LossKernels& kernels)
      : Loss(facts), kernels_(kernels) {}

  std::string name() const override { return facts().name; }
  ScaledSum risk(const LossBlock& block) const override;
  double pulls(const LossBlock& block, double log_scale, float* pulls,
               float* curvature) const override;

 private:
  const LossKernels& kernels_;
};

}  // namespace simplexboost
