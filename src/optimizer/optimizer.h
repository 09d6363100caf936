// An optimiser decides what the next weak hypothesis shall do and how far to go along it.
//
// The life of a round:
//   1. target(f)       what the weak learner shall fit now, given the scores f of the rows;
//   2. step(h)         how far to go along the hypothesis that came, or why to stop;
//   3. advance(h, a)   the step has been taken;
//   4. metrics()       figures for the log.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "optimizer/fit_target.h"
#include "simplexboost/dataset.h"
#include "simplexboost/progress.h"

namespace simplexboost {

// The training labels as every optimiser sees them.
struct Problem {
  const Labels& labels;
  std::vector<double> weights;  // of the rows, positive
  std::size_t rows = 0;
  std::size_t classes = 0;
  int threads = 1;
};

struct Step {
  double length = 0;    // 0: none
  std::string stop;     // not empty: training ends, for this reason
  bool last = false;    // take the step, then end: `stop` says why
  double log_risk = 0;  // after it, where candidates are compared
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // `scores`: rows x outputs, the sum of the steps so far.
  virtual FitTarget target(const float* scores) = 0;
  virtual Step step(const RowVectors& hypothesis) = 0;
  // Where a round has a choice of targets: fit each, and keep the one whose step leads to the
  // lowest risk. target() comes first.
  virtual std::size_t candidates() const { return 1; }
  virtual FitTarget candidate(std::size_t /*index*/) { return {}; }
  virtual void advance(const RowVectors& /*hypothesis*/, double /*length*/) {}
  // What all steps of a model of so many rounds are multiplied by at the end.
  virtual double final_scale(std::size_t /*rounds*/) const { return 1; }
  // Of the last round, for the log.
  virtual std::vector<RoundMetric> metrics() const = 0;
};

}  // namespace simplexboost
