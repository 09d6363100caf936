// Class probabilities from class scores u: those for which u minimises the expected loss (jmlr2019,
// section 7.2). A closed form for the built-in losses, the linear system of Theorem 7 for any pair.
// The probabilities may take the place of the scores.
#pragma once

#include <cstddef>
#include <span>

#include "loss/loss_facts.h"
#include "simplexboost/loss.h"

namespace simplexboost {

// Of a row of the loss table: jmlr2019 (111), by the row's formula.
void formula_posterior(const LossFacts& loss, std::span<const float> scores, float* probabilities);

// jmlr2019 (101), (102). O(classes^3) a row.
void pair_posteriors(const GammaPhi& pair, std::size_t rows, std::size_t classes,
                     const float* scores, float* probabilities);

}  // namespace simplexboost
