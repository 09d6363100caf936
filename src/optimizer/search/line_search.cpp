#include "optimizer/search/line_search.h"

#include <algorithm>
#include <cmath>

namespace simplexboost {

StepSearch::StepSearch(double start, double guess, double most, double tolerance)
    : enough_(tolerance * start), most_(most), step_(std::min(guess, most)), low_value_(start) {
  if (start > 0 && step_ > 0) return;  // twice nothing would be nothing, for ever
  step_ = 0;
  phase_ = Phase::kDone;
}

void StepSearch::observe(double descent) {
  if (phase_ == Phase::kDoubling) {
    if (descent > enough_) {
      if (step_ >= most_) {
        phase_ = Phase::kDone;
        return;
      }
      low_ = step_;
      low_value_ = descent;
      step_ = std::min(2 * step_, most_);
      return;
    }
    high_ = step_;
    high_value_ = descent;
    phase_ = Phase::kNarrowing;
  } else if (descent > 0) {
    // Regula falsi with the Illinois rule: halving the value of the end that stays keeps it from
    // sticking, and convergence is superlinear.
    low_ = step_;
    low_value_ = descent;
    high_value_ /= 2;
  } else {
    high_ = step_;
    high_value_ = descent;
    low_value_ /= 2;
  }
  constexpr int kMostTries = 60;
  if (std::fabs(descent) > enough_ && high_ - low_ > 1e-9 * high_ && tries_++ < kMostTries)
    choose_middle();
  else
    phase_ = Phase::kDone;
}

void StepSearch::choose_middle() {
  step_ = (low_ * high_value_ - high_ * low_value_) / (high_value_ - low_value_);
  if (!(step_ > low_ && step_ < high_)) step_ = 0.5 * (low_ + high_);
}

double find_step(const std::function<double(double)>& descent, double start, double guess,
                 double most, double tolerance) {
  StepSearch search(start, guess, most, tolerance);
  while (!search.done()) search.observe(descent(search.step()));
  return search.step();
}

}  // namespace simplexboost
