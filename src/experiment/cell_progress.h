// The rounds of the trainings of a cell, passed on as some of the rounds of a whole experiment.
#pragma once

#include <cstddef>
#include <span>

#include "simplexboost/progress.h"

namespace simplexboost {

class CellProgress : public Progress {
 public:
  // `all` may be null; `before` rounds of other cells are done.
  CellProgress(Progress* all, std::size_t before) : all_(all), before_(before) {}

  // The training to come has at most so many rounds.
  void next_training(std::size_t rounds) {
    before_ += planned_;
    planned_ = rounds;
  }
  bool round(std::size_t round, std::span<const RoundMetric> metrics) override {
    if (all_ && !all_->round(before_ + round, metrics)) stopped_ = true;
    return !stopped_;
  }
  bool stopped() const { return stopped_; }

 private:
  Progress* all_;
  std::size_t before_;
  std::size_t planned_ = 0;
  bool stopped_ = false;
};

}  // namespace simplexboost
