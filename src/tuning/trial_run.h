// One trial: the same settings trained on every split in step, with the mean of what the validation
// rows say after each round.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "tuning/search.h"

namespace simplexboost {

struct TrialLimits {
  std::vector<std::size_t> rungs;  // ascending numbers of rounds
  // Asked when a rung is reached, with its number and the value so far: whether to go on.
  std::function<bool(std::size_t rung, double value)> go_on;
  std::chrono::steady_clock::time_point deadline;
  Progress* progress = nullptr;  // hears of the rounds
  // Keeps the rounds of all splits under this name; null: none.
  CheckpointFile* checkpoint = nullptr;
  std::string part = {};
};

// Fills in what came of it; false if the progress stopped it. Errors of training (ParameterError,
// DataError) are thrown.
bool run_trial(const std::vector<TrialSplit>& splits, const Parameters& parameters,
               const TrialLimits& limits, Trial& trial);

}  // namespace simplexboost
