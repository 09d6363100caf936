// Class probabilities from class scores u: those for which u minimises the expected loss (jmlr2019,
// section 7.2). Closed forms for the built-in losses, the linear system of Theorem 7 for any pair.
// The probabilities may take the place of the scores.
#pragma once

#include <cstddef>

#include "simplexboost/loss.h"

namespace simplexboost {

// Exponential and logistic loss: p_k = e^{2 u_k} / sum_j e^{2 u_j}, jmlr2019 (111).
void softmax_posteriors(std::size_t rows, std::size_t classes, const float* scores,
                        float* probabilities);

// Savage loss: eta_k proportional to 1 / (1 - p_k), with the same p (jmlr2019, Table 3).
void savage_posteriors(std::size_t rows, std::size_t classes, const float* scores,
                       float* probabilities);

// jmlr2019 (101), (102). O(classes^3) a row.
void pair_posteriors(const GammaPhi& pair, std::size_t rows, std::size_t classes,
                     const float* scores, float* probabilities);

}  // namespace simplexboost
