// From class scores to probabilities.
#pragma once

#include <cstddef>
#include <span>

#include "model/ensemble.h"

namespace simplexboost {

// A link with its numbers: that of an ensemble, or of a member of one.
struct LinkSpec {
  Link link = Link::kSoftmax;
  double scale = 1;
  double shift = 0;
  bool multi_label = false;
};

// Throws ModelError where the ensemble has none.
void require_probabilities(const Ensemble& ensemble);

// Turns the scores of one row into probabilities by a link that is neither kNone nor kLoss, in
// double precision.
void to_probabilities(const LinkSpec& spec, std::span<const float> scores, double* out);

// By the link of an ensemble, before anything is adjusted (adjusted.h). The scores are not kept.
void link_probabilities(const Ensemble& ensemble, std::span<float> scores, double* out);

// Turns the class scores u of one row of an ensemble into probabilities, in place, without
// allocation (kLoss: but a thread's first). Looks at the ensemble's link and schema only, and at
// whether its scores are adjusted.
void to_probabilities(const Ensemble& ensemble, std::span<float> scores);
// The same before rounding, to `out`; the scores are not kept.
void to_probabilities(const Ensemble& ensemble, std::span<float> scores, double* out);

// The probability of one class of single-label data alone: to single precision, and in a fraction
// of the time that those of all classes take.
double probability(const Ensemble& ensemble, std::span<const float> scores, std::size_t k);

}  // namespace simplexboost
