// The exact step along a direction: where the slope of the risk changes its sign.
#pragma once

#include <cstdint>
#include <functional>

namespace simplexboost {

// The search as a machine that is fed: observe() the descent, minus the slope of the risk, at
// step(), until done(). `start` is the descent at 0. Ends at a step in (0, most] at which the
// descent is zero to within `tolerance` of start, the first sign change that doubling from `guess`
// brackets; at `most` if the risk falls all the way there, at 0 unless start is positive.
class StepSearch {
 public:
  StepSearch(double start, double guess, double most, double tolerance = 1e-4);

  bool done() const { return phase_ == Phase::kDone; }
  double step() const { return step_; }
  void observe(double descent);

 private:
  enum class Phase : std::uint8_t { kDoubling, kNarrowing, kDone };

  void choose_middle();

  Phase phase_ = Phase::kDoubling;
  double enough_;  // a descent of this size is none
  double most_;
  double step_;
  double low_ = 0;
  double low_value_;
  double high_ = 0;
  double high_value_ = 0;
  int tries_ = 0;
};

// The same for a function descent(step).
double find_step(const std::function<double(double)>& descent, double start, double guess,
                 double most, double tolerance = 1e-4);

}  // namespace simplexboost
