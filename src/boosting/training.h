// A training that can be halted after any round and go on later, for those who decide in between
// whether it is worth going on.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "data/binning.h"
#include "simplexboost/train.h"

namespace simplexboost {

class Booster;

class Training {
 public:
  // `data` and what `options` points to must outlive it.
  Training(const Dataset& data, const Parameters& parameters, const TrainOptions& options = {});
  ~Training();
  Training(Training&&) noexcept;

  // Boosts until `rounds` rounds are done; false where training is over: all rounds that the
  // parameters say are done, or a reason to stop was met.
  bool boost(std::size_t rounds);

  std::size_t rounds() const;  // done so far
  // How many rounds the validation data would keep, by the early-stopping metric and rule, and the
  // metric's value there; all rounds and NaN without validation data.
  std::size_t best_rounds() const;
  double best_value() const;
  // The early-stopping metric on the validation data after each round; empty without such data.
  std::span<const double> validation_values() const;

  // The model; nothing can be done with the training after it.
  Model finish();

 private:
  std::unique_ptr<Dataset> own_data_;  // with weights of classes, or without rows of weight 0
  std::unique_ptr<Booster> booster_;
};

// The bins that training on `data` would choose, for TrainOptions::bins.
std::vector<FeatureBins> choose_training_bins(const Dataset& data, const Parameters& parameters);

}  // namespace simplexboost
