// Scores of the rows of a data set while training goes on, and how well they do.
#pragma once

#include <cstddef>
#include <vector>

#include "codeword/codebook.h"
#include "optimizer/fit_target.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

class ScoreBoard {
 public:
  // `weights`: of the rows, empty: all 1. `codebook`: turns scores into class scores; null: they
  // are class scores. All must outlive the board.
  ScoreBoard(const Labels& labels, const std::vector<double>& weights, std::size_t rows,
             const Codebook* codebook, std::size_t classes, int threads);

  const float* scores() const { return scores_.data(); }
  void add(const RowVectors& hypothesis, double factor);

  // Share of the weight whose class has not the highest score (ties: the lower class counts, as in
  // prediction); for multi-label data the Hamming loss, a score above 0 meaning yes.
  double error() const;

 private:
  double row_loss(std::size_t row, const float* class_scores) const;

  const Labels& labels_;
  const std::vector<double>& weights_;
  std::size_t rows_;
  const Codebook* codebook_;
  std::size_t classes_;
  std::size_t outputs_;
  int threads_;
  std::vector<float> scores_;  // rows x outputs
};

}  // namespace simplexboost
