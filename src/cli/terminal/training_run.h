// One training under the eyes of a person: progress bar, polite Ctrl-C, clock. Shared by `train`
// and `demo`.
#pragma once

#include <chrono>

#include "simplexboost/dataset.h"
#include "simplexboost/model.h"
#include "simplexboost/parameters.h"
#include "simplexboost/quality.h"

namespace simplexboost::cli {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
};

struct TrainingRun {
  Model model;
  double seconds = 0;
  bool interrupted = false;
};

// `valid` may be null, and so may `init`, the model to go on from.
TrainingRun run_training(const Dataset& data, const Dataset* valid, const Parameters& parameters,
                         bool quiet, const Model* init = nullptr);

// The same for a training that decides for itself; the options' progress is set here.
TrainingRun run_quality(const Dataset& data, const Parameters& parameters, QualityOptions options,
                        bool quiet);

}  // namespace simplexboost::cli
