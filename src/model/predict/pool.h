// From the outputs of members to class scores: their probabilities, pooled.
#pragma once

#include <span>

#include "model/ensemble.h"
#include "simplexboost/model.h"

namespace simplexboost {

// No member is so sure that others could not say otherwise.
inline constexpr double kLeastPooled = 1e-12;

// `outputs`: members x classes of one row; `scores`: a score for each class.
// Allocates no more than once a thread.
void pool_scores(const Ensemble& ensemble, std::span<const float> outputs, std::span<float> scores);

// Probabilities, rows x classes, as the scores of an ensemble whose scale is 1: log p, or the
// log-odds of sets of labels.
void to_pooled_scores(bool multi_label, Matrix& probabilities);

// Pooled probabilities, rows x classes, as the ensemble's own link makes them: with its scale.
void rescale(const Ensemble& ensemble, int threads, Matrix& probabilities);

}  // namespace simplexboost
