// Scores of the rows of a data set while training goes on, and how well they do.
#pragma once

#include <cstddef>
#include <vector>

#include "optimizer/fit_target.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

class ScoreBoard {
 public:
  // `weights`: of the rows, empty: all 1. Both must outlive the board.
  ScoreBoard(const Labels& labels, const std::vector<double>& weights, std::size_t rows,
             std::size_t classes, int threads);

  const float* scores() const { return scores_.data(); }
  void add(const RowVectors& hypothesis, double factor);

  // Share of the weight whose class has not the highest score (ties: the lower class counts, as in
  // prediction); for multi-label data the Hamming loss, a score above 0 meaning yes.
  double error() const;

 private:
  double row_loss(std::size_t row) const;

  const Labels& labels_;
  const std::vector<double>& weights_;
  std::size_t rows_;
  std::size_t classes_;
  int threads_;
  std::vector<float> scores_;  // rows x classes
};

}  // namespace simplexboost
