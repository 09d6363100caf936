// The LogitBoost family: Newton steps on the logistic loss of p = softmax(F), a regression
// hypothesis for each class and round. With r = 1 for the row's class and 0 for the others,
//
//   pull       r_k - p_k                the slope of the loss in F_k
//   curvature  p_k (1 - p_k)
//
// Robust LogitBoost (Li 2010) cuts by [sum pull]^2 / sum curvature, MART (Friedman 2001) by
// [sum pull]^2 / sum weight; leaves of both say (K-1)/K sum pull / sum curvature. LogitBoost
// (Friedman, Hastie, Tibshirani 2000) fits z = pull / curvature by least squares with the curvature
// as weight, which is the same but that it bounds z.
//
// ABC (adaptive base class; Li 2009, 2010): F_b = - the sum of the others, so a hypothesis for
// class k moves F_k by t and F_b by -t. Then
//
//   pull       (r_k - p_k) - (r_b - p_b)
//   curvature  p_k (1 - p_k) + p_b (1 - p_b) + 2 p_k p_b
//
// and leaves say sum pull / sum curvature. The base b is the class of the largest loss, or the one
// of several with which the loss falls most.
//
// AOSO (Sun, Reid, Zhou 2012) has one tree a round, each leaf of which moves one pair of classes
// (learner/pair_tree.h).
//
// LogitBoost centres the K functions, F_k += (K-1)/K (f_k - mean f). What is added to all
// scores of a row changes neither its probabilities nor its class, so the mean is left out here.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/aligned_vector.h"
#include "optimizer/search/margin_risk.h"

namespace simplexboost {

// What a hypothesis moves.
enum class LogitMoves : std::uint8_t {
  kClass,   // one class; one hypothesis for each
  kBase,    // one class against the base; one hypothesis for each of the others
  kVector,  // any classes; one hypothesis
};

struct LogitOptions {
  bool second_order = true;  // cuts by curvature, else by weight (MART)
  bool bounded = false;      // |z| <= kMostZ for every row, not only for every leaf
  // A leaf of ours is bounded by kMostZ, a linear hypothesis or a user's is not: it may send rows
  // of little curvature, which had no say in its fit, arbitrarily far. If set, a step by more than
  // kMostZ is halved until the loss does not rise. All steps are where they would go too far
  // together (LogitBoosting::watch).
  bool guarded = false;
  LogitMoves moves = LogitMoves::kClass;
  // ABC: so many classes of the largest loss are tried as the base, once in so many rounds.
  std::size_t candidates = 1;
  std::size_t gap = 1;
  double learning_rate = 1;  // of the steps
};

class LogitBoosting : public Optimizer, public SeveralTargets, public TargetGroups {
 public:
  // Where p is near 0, a row of that class asks for a step of 1/p. Friedman, Hastie and Tibshirani
  // bound z of a row by 2 to 4; here that of a leaf is bounded too, without which ABC is not
  // stable.
  static constexpr float kMostZ = 4;

  LogitBoosting(const Problem& problem, const LogitOptions& options);

  RoundTarget target(const float* scores) override;
  std::size_t targets() const override;
  RoundTarget target_at(std::size_t index) override;
  bool at_once() const override { return true; }
  SeveralTargets* several() override { return this; }
  TargetGroups* groups() override { return compares() ? this : nullptr; }
  std::size_t group() const override;
  // (K-1)/K, and 1 with a base class.
  Step step(const RowVectors& hypothesis) override;
  void resume(const Past& past) override;
  std::vector<RoundMetric> metrics() const override;

 private:
  // Whether only the best of several bases takes its steps.
  bool compares() const { return bases_.size() > 1; }
  bool based() const { return options_.moves == LogitMoves::kBase; }
  void set_class_losses(const float* scores);
  double mean_loss() const;
  // Whether the loss has risen so much that all steps are to be guarded from now on.
  void watch(double loss);
  bool keeps_log_sums() const { return options_.guarded || watched_; }
  void split_classes();
  void scale_rows();
  // Multiplies what rows [begin, end) want by their weights.
  void weigh_rows(std::size_t begin, std::size_t end, float* pulls, float* curvature) const;
  void choose_bases();
  RoundTarget target_of(std::size_t output, const float* pulls, const float* curvature);
  RoundTarget pair_target(std::size_t k, std::size_t base);
  // With the steps of the round, or of the group that is tried, so far.
  const float* live_scores() const { return bases_.size() > 1 ? tried_.data() : scores_; }
  // Whether any score.
  bool moves(const RowVectors& hypothesis) const;
  void set_log_sums(const float* scores);
  // After a step of that length along the hypothesis.
  double moved_log_sum(const RowVectors& hypothesis, std::size_t row, double length,
                       const float* scores) const;
  double own_move(const RowVectors& hypothesis, std::size_t row, double length) const;
  double loss_change(const RowVectors& hypothesis, double length) const;
  double guarded(const RowVectors& hypothesis, double length) const;
  // How far to go along a hypothesis for one class, with the steps of the round so far, for the
  // loss to fall; 0 where it does not. Moves the log sums.
  double falling_length(const RowVectors& hypothesis, double length);
  std::array<double, 2> slope_and_bend(const RowVectors& hypothesis);
  double change_of_class(const RowVectors& hypothesis, double length);
  void move_log_sums(const RowVectors& hypothesis, double length);
  void try_step(const RowVectors& hypothesis, double length);
  double row_loss(std::size_t row, const float* scores) const;

  const Problem& problem_;
  LogitOptions options_;
  Codebook codebook_;
  std::shared_ptr<const Loss> loss_;
  MarginRisk risk_;
  double scale_ = 1;                          // of the pulls and curvatures
  std::vector<KeptLeafTarget> leaf_targets_;  // of each class, where it is not the shape
  UntouchedVector<float> row_pulls_;          // rows x classes, weighted only where all move
  UntouchedVector<float> row_curvature_;      // likewise
  UntouchedVector<float> pulls_;       // classes x rows: a hypothesis for one class reads a run;
                                       // not weighted with a base class
  UntouchedVector<float> curvature_;   // likewise
  std::vector<double> class_loss_;     // of the rows of each class, before the round
  UntouchedVector<float> pair_pulls_;  // classes x rows, with a base class
  UntouchedVector<float> pair_curvature_;  // likewise
  double total_weight_ = 0;
  bool watched_ = false;          // all steps are guarded
  double first_loss_ = -1;        // before the first round; below 0: not yet known
  double last_loss_ = 0;          // before the last one
  std::vector<double> log_sums_;  // of e^F over the classes of each row; only if guarded
  // If watched, of each row: the shares of the class and of the base, and the log sum after a step.
  std::vector<double> class_share_, base_share_, moved_log_sums_;
  const float* scores_ = nullptr;  // before the round

  // With a base class.
  std::vector<std::size_t> bases_;  // those to try in this round, the worst first
  std::size_t round_ = 0;
  std::size_t base_ = 0;         // of the last target asked for
  AlignedVector<float> tried_;   // scores after the steps of a group
  std::size_t tried_steps_ = 0;  // of the group
};

}  // namespace simplexboost
