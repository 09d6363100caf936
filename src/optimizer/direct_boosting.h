// DMCBoost (kdd2014): coordinate descent on the error itself, then coordinate ascent on the average
// of the n' smallest normalised margins (5).
//
// Phase I takes the step with the fewest errors along each tree. Where no step lowers the error the
// round takes a step of phase II instead, which moves votes without regard to the error, and the
// next round tries phase I again: two classifiers never beat the better of them by plurality, so
// without such moves phase I would end with its first tree. After `patience` rounds in a row
// without a lower error, the coordinatewise local minimum, phase II goes on alone. Its trees are
// chosen by the smoothed objective, its steps by the objective itself. It ends at a coordinatewise
// maximum: when for `patience` rounds no step raised the objective.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "optimizer/optimizer.h"
#include "optimizer/search/direct_curves.h"
#include "optimizer/search/error_search.h"
#include "optimizer/search/margin_bound.h"
#include "optimizer/search/margin_search.h"

namespace simplexboost {

struct DirectOptions {
  double bottom = 0.25;    // n': below 1 a share of the rows, else a number of them
  double relaxation = 0;   // epsilon of the relaxation, in units of the first step
  double smoothing = 1;    // of the margins that trees are chosen by, in the same units
  int patience = 50;       // rounds in a row without gain before a phase ends
  int phases = 2;          // 1: phase I alone
  std::size_t steps = 64;  // at which trees are judged in phase I
  bool exact = false;      // trees by a line search for every cut and label
  double learning_rate = 1;
  double log_hypotheses = 0;  // ln |H|, for Theorem 2
};

class DirectBoosting : public Optimizer {
 public:
  DirectBoosting(const Problem& problem, const DirectOptions& options);

  RoundTarget target(const float* scores) override;
  Step step(const RowVectors& hypothesis) override;
  void advance(const RowVectors& hypothesis, double length) override;
  void resume(const Past& past) override;
  std::vector<std::byte> state() const override;
  std::vector<RoundMetric> metrics() const override;
  Ending ending(std::size_t rounds) const override;

 private:
  enum class Phase { kError, kMargin };

  // The votes so far, and their margins.
  void read_scores(const float* scores);
  // (5), of the margins.
  double objective();
  // The class that the hypothesis votes for on each row.
  void set_votes(const RowVectors& hypothesis);
  // How their margins move; from the votes before the step.
  void set_lines();
  double error() const;
  Step first_step();
  Step error_step();
  Step margin_step();
  double best_right(const std::vector<std::int32_t>& votes);
  double best_objective(const std::vector<std::int32_t>& votes);
  // The interval of Algorithm 2.1. Without an end, a tree that alone has better margins than all so
  // far together would silence them, and nothing could be added to it.
  double longest() const { return first_; }
  MarginSearch::Result search_margins();
  Step level_step(double length);
  Step try_again();
  // With phase I alone, training ends with it.
  Step end_error_phase(double error);
  void set_error_curves();
  void set_margin_slopes();
  MarginBoundProblem bound_problem() const;
  VoteView view() const { return {problem_, scores_, rows_}; }

  const Problem& problem_;
  DirectOptions options_;
  double weight_;  // of all rows
  MarginSearch margin_search_;
  const float* scores_ = nullptr;  // a(x, y)
  std::vector<RowVotes> rows_;
  std::vector<float> weights_;
  std::vector<std::int32_t> votes_;
  std::vector<MarginLine> lines_;
  std::vector<float> margins_;
  std::vector<ErrorPoint> points_;
  StepCurves curves_;
  Phase phase_ = Phase::kError;           // that training is in
  Phase attempt_ = Phase::kError;         // that this round's target is for
  Phase phase_of_round_ = Phase::kError;  // of the last one
  bool retry_ = false;                    // phase I found no step in this round
  double total_ = 0;                      // A, the sum of |alpha|
  double first_ = 1;                      // |alpha| of the first step
  int stalled_ = 0;                       // rounds in a row without gain
  double best_objective_ = 0;
  double objective_ = 0;
  double length_ = 0;
  std::size_t round_ = 0;
  std::string remark_;
};

}  // namespace simplexboost
