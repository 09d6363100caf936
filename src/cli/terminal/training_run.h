// One training under the eyes of a person: progress bar, polite Ctrl-C, clock. Shared by `train`
// and `demo`.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "boosting/training.h"
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
  std::optional<DistilCost> distilled = {};
  Matrix oof_proba = {};  // these two as QualityResult has them
  double repeats = 0;
};

// How a person follows it: by a bar unless `quiet`, and by a page where one is named.
struct TrainingWatch {
  bool quiet = false;
  std::string dashboard = {};  // a file
  std::string title = {};      // of the page
};

// With what `options` says; their progress is set here.
TrainingRun run_training(const Dataset& data, const Parameters& parameters,
                         const TrainingWatch& watch, TrainOptions options = {},
                         const TrainingContext& context = {});

// The same for a training that decides for itself; the options' progress is set here. All `ranks`
// have all rows.
TrainingRun run_quality(const Dataset& data, const Parameters& parameters, QualityOptions options,
                        const TrainingWatch& watch, Communicator& ranks = no_others());

}  // namespace simplexboost::cli
