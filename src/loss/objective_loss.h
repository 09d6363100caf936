// A user's objective as a loss: checked, weighted, and seen from the class scores u. It may look at
// all rows at once, so where they are parted the first rank, which gets the scores of all, asks it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/communicator.h"
#include "loss/loss.h"

namespace simplexboost {

class ObjectiveLoss final : public Loss {
 public:
  // The objective sees scale * u. Throws a ParameterError if it is missing.
  ObjectiveLoss(std::shared_ptr<const Objective> objective, double scale, Communicator& ranks);

  std::string name() const override { return objective_->name(); }
  // Of value 0 where the objective has no losses.
  ScaledSum risk(const LossBlock& block) const override;
  double pulls(const LossBlock& block, double log_scale, float* pulls,
               float* curvature) const override;

 private:
  // The rows of all ranks as the objective sees them, on the first; none on the others.
  struct Seen {
    std::vector<float> scores;
    std::vector<std::int32_t> labels;

    ObjectiveRows rows(std::size_t classes) const {
      return {labels.size(), classes, scores.data(), labels.data()};
    }
  };

  bool asks() const { return ranks_.rank() == 0; }
  Seen see(const LossBlock& block) const;
  // What it says of all rows, checked.
  void ask(const ObjectiveRows& rows, float* pulls, float* curvature) const;
  // The same of those that are here.
  void ask_all(const LossBlock& block, float* pulls, float* curvature) const;

  std::shared_ptr<const Objective> objective_;
  double scale_;
  Communicator& ranks_;
};

}  // namespace simplexboost
