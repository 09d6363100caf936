// From class scores to probabilities.
#pragma once

#include <cstddef>
#include <span>

#include "model/ensemble.h"

namespace simplexboost {

// Throws ModelError where the ensemble has none.
void require_probabilities(const Ensemble& ensemble);

// Turns the class scores u of one row of an ensemble into probabilities, in place, without
// allocation (kLoss: but a thread's first). Looks at the ensemble's link and schema only.
void to_probabilities(const Ensemble& ensemble, std::span<float> scores);
// The same before rounding, to `out`; the scores are not kept.
void to_probabilities(const Ensemble& ensemble, std::span<float> scores, double* out);

// The probability of one class of single-label data alone: to single precision, and in a fraction
// of the time that those of all classes take.
double probability(const Ensemble& ensemble, std::span<const float> scores, std::size_t k);

}  // namespace simplexboost
