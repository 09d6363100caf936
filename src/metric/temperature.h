// How sure probabilities should have been: the one factor on their logarithms with which rows that
// the model had not seen would have had the least log loss (Guo et al. 2017, whose temperature is
// its inverse).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metric/estimate.h"

namespace simplexboost {

// For Ensemble::link_scale, where the class scores are log p (one label a row) or log-odds
// (several). Within 1/8 to 8; 1 where there is nothing to judge by.
double fit_score_scale(const JudgedRows& rows, int threads);

// The same for several parts of the rows, whose logarithms are taken once.
class ScoreScaleFit {
 public:
  // `rows.seen` is not looked at. The labels and weights must outlive it, the probabilities not.
  ScoreScaleFit(const JudgedRows& rows, int threads);

  // Of the rows that `seen` does not leave out. `from`: a scale that may be near.
  double fit(std::span<const std::uint8_t> seen, double from) const;

 private:
  struct Slope;
  Slope slope(std::span<const std::uint8_t> seen, double scale) const;
  Slope slope_of_row(std::size_t row, double scale) const;
  Slope slope_of_labels(std::size_t row, double scale) const;

  const Labels& labels_;
  const std::vector<double>& weights_;
  int threads_;
  std::size_t rows_;
  double prior_;  // the share of what the probabilities themselves expect in the place of labels
  std::vector<float> scores_;     // log p, or log-odds, rows x classes
  std::vector<double> expected_;  // by p, of the scores of each row; one label a row
};

}  // namespace simplexboost
