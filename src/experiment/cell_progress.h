// The rounds of all cells of an experiment, told as those of one training. Cells may run at the
// same time.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>

#include "simplexboost/progress.h"

namespace simplexboost {

class ExperimentProgress {
 public:
  // `all` may be null.
  explicit ExperimentProgress(Progress* all) : all_(all) {}

  // A round of one of the cells has ended; false: stop.
  bool round(std::span<const RoundMetric> metrics) {
    const std::lock_guard lock(mutex_);
    if (all_ && !all_->round(done_, metrics)) stopped_ = true;
    ++done_;
    return !stopped_;
  }
  // Rounds that were planned and not needed.
  void skip(std::size_t rounds) {
    const std::lock_guard lock(mutex_);
    done_ += rounds;
  }
  bool stopped() const {
    const std::lock_guard lock(mutex_);
    return stopped_;
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }

 private:
  mutable std::mutex mutex_;
  Progress* all_;
  std::size_t done_ = 0;
  bool stopped_ = false;
};

// What the trainings of one cell tell.
class CellProgress : public Progress {
 public:
  explicit CellProgress(ExperimentProgress& all) : all_(all) {}

  bool round(std::size_t /*round*/, std::span<const RoundMetric> metrics) override {
    ++rounds_;
    return all_.round(metrics);
  }
  bool stopped() const { return all_.stopped(); }
  // So many rounds were run before an interruption.
  void skip(std::size_t rounds) {
    rounds_ += rounds;
    all_.skip(rounds);
  }
  // The cell has ended, of so many planned rounds.
  void end(std::size_t planned) {
    if (planned > rounds_) all_.skip(planned - rounds_);
  }

 private:
  ExperimentProgress& all_;
  std::size_t rounds_ = 0;
};

}  // namespace simplexboost
