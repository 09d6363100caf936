// The trainings of an ensemble as one, for a person to see; and when to end.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>

#include "base/stop.h"
#include "quality/cross_fit.h"
#include "simplexboost/train.h"

namespace simplexboost {

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The rounds of all trainings as those of one, for a person to see; and when to end.
class EnsembleWatch : public FitWatch {
 public:
  EnsembleWatch(Progress* progress, double budget, std::size_t rounds)
      : progress_(progress), budget_(budget) {
    if (progress_) progress_->start(rounds);
  }

  bool go_on() override {
    const std::lock_guard lock(mutex_);
    if (progress_ && !progress_->round(rounds_, {})) interrupted_ = true;
    ++rounds_;
    return !interrupted_ && !late();
  }
  // A member that has fewer rounds than it might have had has made progress all the same.
  void skip_to(std::size_t rounds) {
    const std::lock_guard lock(mutex_);
    rounds_ = std::max(rounds_, rounds);
  }
  bool may_go_on() const override { return !interrupted_ && !late() && !stop_requested(); }
  bool late() const { return budget_ > 0 && seconds() > budget_; }
  bool interrupted() const { return interrupted_; }
  double seconds() const { return seconds_since(begin_); }

 private:
  Progress* progress_;
  double budget_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::size_t rounds_ = 0;
  std::atomic<bool> interrupted_ = false;
};

// For trainings whose rounds nobody counts.
class QuietWatch : public FitWatch {
 public:
  explicit QuietWatch(const FitWatch& watch) : watch_(watch) {}
  bool go_on() override { return watch_.may_go_on(); }
  bool may_go_on() const override { return watch_.may_go_on(); }

 private:
  const FitWatch& watch_;
};

}  // namespace simplexboost
