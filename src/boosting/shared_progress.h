// The rounds of several trainings, told as those of one. They may run at the same time.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>

#include "simplexboost/progress.h"

namespace simplexboost {

class SharedProgress {
 public:
  // `all` may be null.
  explicit SharedProgress(Progress* all) : all_(all) {}

  // A round of one of them has ended; false: stop.
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

// What one of them tells, or several in turn.
class PartProgress : public Progress {
 public:
  explicit PartProgress(SharedProgress& all) : all_(all) {}

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
  // It has ended, of so many planned rounds.
  void end(std::size_t planned) {
    if (planned > rounds_) all_.skip(planned - rounds_);
  }

 private:
  SharedProgress& all_;
  std::size_t rounds_ = 0;
};

}  // namespace simplexboost
