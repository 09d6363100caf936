// Multinomial logistic regression: p_k ~ exp(b_k + sum_j c_jk x_j), of the least log loss with a
// penalty on the squares of the coefficients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "quality/linear/linear_inputs.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"

namespace simplexboost {

struct LogisticRows {
  const LinearInputs& inputs;
  const Labels& labels;                // one a row
  const std::vector<double>& weights;  // empty: all alike
};

// The intercepts (classes), then the coefficients (inputs x classes).
using LogisticCoefficients = std::vector<double>;

// Goes on from `coefficients`, which it changes, for at most so many evaluations of the loss on
// `rows`. A penalty of 1 is as if a row more said that all coefficients are 0.
void fit_logistic(const LogisticRows& all, std::span<const std::uint32_t> rows, double penalty,
                  std::size_t evaluations, LogisticCoefficients& coefficients);

// Puts the probabilities of some rows where they belong in `proba` (all rows x classes).
void predict_logistic(const LogisticRows& all, std::span<const std::uint32_t> rows,
                      const LogisticCoefficients& coefficients, Matrix& proba);

}  // namespace simplexboost
