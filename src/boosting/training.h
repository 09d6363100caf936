// A training that can be halted after any round and go on later, for those who decide in between
// whether it is worth going on.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/communicator.h"
#include "data/binning.h"
#include "simplexboost/train.h"

namespace simplexboost {

class Booster;

class Training {
 public:
  // `data` and what `options` points to must outlive it. With several ranks, each gives its share
  // of the rows (and of the validation rows) in `data`, and all make the same calls: they train one
  // model, that of one rank with all rows. Where one throws, the others throw a CommunicationError.
  Training(const Dataset& data, const Parameters& parameters, const TrainOptions& options = {},
           Communicator& ranks = no_others());
  ~Training();
  Training(Training&&) noexcept;

  // Boosts until `rounds` rounds are done; false where training is over: all rounds that the
  // parameters say are done, or a reason to stop was met. Throws Stopped where someone wishes to
  // stop (base/stop.h); finish() gives the rounds that were done.
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
  void start(const Dataset& data, const Parameters& wanted, TrainOptions options);

  Communicator* ranks_;
  // With scaled weights, without rows of weight 0; and shares that fit together.
  std::unique_ptr<Dataset> own_data_;
  std::unique_ptr<Dataset> own_valid_;
  std::unique_ptr<Booster> booster_;
};

// The bins that training on `data` would choose, for TrainOptions::bins.
std::vector<FeatureBins> choose_training_bins(const Dataset& data, const Parameters& parameters);

}  // namespace simplexboost
