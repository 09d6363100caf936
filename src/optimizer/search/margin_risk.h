// The risk of a gamma-phi loss on the training rows (jmlr2019 (26)), seen from the scores f in R^d:
// class scores, pulls and curvatures, and the slope along a weak hypothesis.
#pragma once

#include <cstddef>
#include <vector>

#include "base/aligned_vector.h"
#include "codeword/codebook.h"
#include "loss/loss.h"
#include "optimizer/fit_target.h"
#include "optimizer/gradient_rows.h"
#include "optimizer/optimizer.h"

namespace simplexboost {

struct ExactStep {
  double edge = 0;    // see MarginRisk::edge
  double length = 0;  // 0: the risk does not fall
};

class MarginRisk {
 public:
  // No step changes a class score by more than this: where a hypothesis makes no mistake the exact
  // step is infinite.
  static constexpr double kMostChange = 12;

  // All must outlive it. `ones`: row_weights() are kept even where all are 1, for trees that are
  // told of them; else a number a row is saved, where they are 1 on all ranks. `rows`: who has the
  // rows, if not this process; then risk() and what is along a hypothesis are its, risk_at() is
  // not known, and class scores and pulls are not here.
  MarginRisk(const Problem& problem, const Codebook& codebook, const Loss& loss, bool ones = true,
             GradientRows* rows = nullptr);

  const Codebook& codebook() const { return codebook_; }
  const std::vector<float>& row_weights() const { return row_weights_; }
  bool weighted() const { return weighted_; }  // whether there are any
  // The rows that are here, as the loss sees them.
  LossBlock all() const;

  // What all blocks of rows have in common: classes and costs.
  LossBlock frame() const;

  // The class scores of these scores (rows x d) are those that the others speak of.
  void set_scores(const float* scores);

  // Class pulls and (unless null) class curvatures, rows x classes, all times exp(-log scale), as
  // if every row had weight 1; returns the log scale.
  double class_pulls(float* pulls, float* curvature) const;
  // Multiplies values, rows x width, by the rows' weights (base/text/shorten.h).
  void weigh(float* values, std::size_t width) const;
  ScaledSum risk() const;
  // The weight of the lightest row of all.
  double lightest_weight() const;
  // What a log says of the risk, `log_risk` being its logarithm: log_risk and margin_above, below
  // which no row's margin is (jmlr2019, Theorem 5); each where the loss knows it.
  std::vector<RoundMetric> metrics(double log_risk) const;

  // Maps rows x classes to rows x d.
  void pull_back(const float* class_pulls, float* pulls) const;

  // The hypothesis for which slope() and risk_at() are asked.
  void set_direction(const RowVectors& hypothesis);
  // -d risk / d step at f, times exp(-log_scale): jmlr2019 (72). 0 unless it is positive, and more
  // than rounding can make of nothing.
  double edge(double log_scale) const;
  // -d risk / d step at f + step h, times exp(-log_scale); and the risk there.
  double descent_at(double step, double log_scale) const;
  ScaledSum risk_at(double step, double log_scale) const;
  // The step at which the risk stops falling (line_search.h), `guess` being where to look first. A
  // risk that never stops falling is followed down to `endless_share` of its first descent.
  ExactStep exact_step(double guess, double log_scale, double endless_share = 0) const;
  // The largest change of a class score by a step of 1.
  double direction_size() const { return direction_size_; }
  // How many vectors the hypothesis has.
  std::size_t directions() const { return direction_.size() / problem_.classes; }
  // Class scores of row i's hypothesis vector; where others have the rows, of leaf i's.
  const float* direction(std::size_t row) const {
    return direction_.data() + (index_ ? index_[row] : row) * problem_.classes;
  }

 private:
  // The class scores of rows [begin, end), moved along the direction.
  void move(std::size_t begin, std::size_t end, double step, float* out) const;
  // All rows that are here, so moved; `scores` holds the scores.
  LossBlock all_moved(double step, std::vector<float>& scores) const;
  // What use(block, first row) gives for the blocks of rows, so moved, in order.
  template <class Part, class Use>
  std::vector<Part> moved_blocks(double step, const Use& use) const;
  // At f + step h.
  Descent descent(double step, double log_scale) const;
  // Of rows [begin, end), of which these are the pulls; and of blocks of all rows, in order.
  Descent descent_of(std::size_t begin, std::size_t end, const float* pulls) const;
  std::vector<Descent> descents(double step, double log_scale) const;
  double margin_above(double log_risk) const;

  const Problem& problem_;
  const Codebook& codebook_;
  const Loss& loss_;
  GradientRows* rows_;
  bool weighted_;
  std::vector<float> row_weights_;
  UntouchedVector<float> class_scores_;  // rows x classes
  std::vector<float> direction_;         // class scores of the hypothesis's vectors
  const std::uint32_t* index_ = nullptr;
  double direction_size_ = 0;
};

}  // namespace simplexboost
