// A weak learner fits a target on binned data and returns a hypothesis: trees for the model, and
// its values on the training rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/binned_dataset.h"
#include "optimizer/fit_target.h"
#include "tree/forest.h"

namespace simplexboost {

// The part of the data that a round sees; empty spans mean all. Both ascending.
struct Sample {
  std::span<const std::uint32_t> rows;
  std::span<const std::uint32_t> features;
};

class WeakLearner {
 public:
  virtual ~WeakLearner() = default;

  // The hypothesis that fits the target best. Valid until the next call.
  virtual RowVectors fit(const FitTarget& target, const Sample& sample) = 0;
  // Appends the last hypothesis, times `factor`, to the forest.
  virtual void append_to(Forest& forest, double factor) const = 0;
  // Values of the last hypothesis on other data, binned alike. Valid until the next call.
  virtual RowVectors apply(const BinnedDataset& data) = 0;
};

}  // namespace simplexboost
