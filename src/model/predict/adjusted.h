// Probabilities that are told otherwise than the link says: calibrated on rows that the model had
// not seen, and for other shares of the classes than those of training.
#pragma once

#include <span>

#include "model/ensemble.h"

namespace simplexboost {

// No probability is told to be less, nor, of sets of labels, more than 1 less this.
inline constexpr double kLeastTold = 1e-12;

// The log of a probability that is told, or, of labels, that of its odds.
double told_log(double p, bool odds);

// p to q, in place: one row, a probability for each class.
void apply_map(const ProbabilityMap& map, bool multi_label, std::span<double> proba);
// For shares of the classes `now` where those of training were `then`: q_k ~ p_k now_k / then_k;
// of sets of labels the odds of each.
void apply_priors(std::span<const double> then, std::span<const double> now, bool multi_label,
                  std::span<double> proba);

// The class scores of one row by trees and codewords, or pooled, to those of an ensemble that is
// adjusted(): the logarithms of its probabilities, or of their odds. Allocates once a thread.
void adjust_scores(const Ensemble& ensemble, std::span<float> scores);

}  // namespace simplexboost
