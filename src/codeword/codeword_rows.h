// The maps of codewords between scores and classes (codebook.h), of rows that follow each other:
// what the processor's loops and a device have in common. Sums are taken in this order everywhere.
#pragma once

#include <cstddef>

#include "base/simd/formula.h"

namespace simplexboost {

// Of the simplex (simplex.h), by halves of s_j and b_j. Sums are in double: over 10,000 classes
// single precision would lose three digits.
template <std::size_t Rows>
LANES_INLINE void simplex_class_scores_of(const float* half_diagonal, const float* half_below,
                                          std::size_t dimension, const float* f, float* u) {
  const std::size_t classes = dimension + 1;
  double before[Rows] = {};  // sum over j < k of b_j f_j / 2
  for (std::size_t k = 0; k < dimension; ++k) {
    const auto diagonal = static_cast<double>(half_diagonal[k]);
    const auto below = static_cast<double>(half_below[k]);
    for (std::size_t r = 0; r < Rows; ++r) {
      const auto score = static_cast<double>(f[r * dimension + k]);
      u[r * classes + k] = static_cast<float>(diagonal * score - before[r]);
      before[r] += below * score;
    }
  }
  for (std::size_t r = 0; r < Rows; ++r)
    u[r * classes + dimension] = static_cast<float>(-before[r]);
}

template <std::size_t Rows>
LANES_INLINE void simplex_pulls_of(const float* half_diagonal, const float* half_below,
                                   std::size_t dimension, const float* p, float* pulls) {
  const std::size_t classes = dimension + 1;
  double after[Rows] = {};  // sum over k > j of P_k
  for (std::size_t r = 0; r < Rows; ++r) after[r] = static_cast<double>(p[r * classes + dimension]);
  for (std::size_t j = dimension; j-- > 0;) {
    const auto diagonal = static_cast<double>(half_diagonal[j]);
    const auto below = static_cast<double>(half_below[j]);
    for (std::size_t r = 0; r < Rows; ++r) {
      const auto pull = static_cast<double>(p[r * classes + j]);
      pulls[r * dimension + j] = static_cast<float>(diagonal * pull - below * after[r]);
      after[r] += pull;
    }
  }
}

// One-vs-all, where both maps are x - sum(x) / 2.
LANES_INLINE void subtract_half_sum_of(std::size_t classes, const float* in, float* out) {
  double sum = 0;
  for (std::size_t k = 0; k < classes; ++k) sum += static_cast<double>(in[k]);
  for (std::size_t k = 0; k < classes; ++k)
    out[k] = static_cast<float>(static_cast<double>(in[k]) - sum / 2);
}

// Canonical codewords, likewise.
LANES_INLINE void halve_of(std::size_t count, const float* in, float* out) {
  for (std::size_t k = 0; k < count; ++k) out[k] = in[k] / 2;
}

}  // namespace simplexboost
