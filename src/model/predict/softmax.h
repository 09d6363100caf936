// From outputs to class scores and probabilities: what the processor and devices share.
#pragma once

#include <cstddef>

#include "base/simd/double_exp.h"

namespace simplexboost {

// The lower one of equals.
LANES_INLINE std::size_t best_class(const float* scores, std::size_t classes) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < classes; ++k)
    if (scores[best] < scores[k]) best = k;
  return best;
}

// p_k = exp(log_q(u_k)) over its sum, in double whatever the results are kept in; log_q must grow.
// `out` may be where the scores are.
template <class Real, class LogQ>
LANES_INLINE void normalise(const float* scores, std::size_t classes, const LogQ& log_q,
                            Real* out) {
  constexpr std::size_t kAtOnce = 8;
  const double top = log_q(static_cast<double>(scores[best_class(scores, classes)]));
  // Calls use(first, terms, count) for all classes, a few at a time.
  const auto for_terms = [&](const auto& use) {
    for (std::size_t first = 0; first < classes; first += kAtOnce) {
      double terms[kAtOnce];
      const std::size_t count = classes - first < kAtOnce ? classes - first : kAtOnce;
      for (std::size_t i = 0; i < count; ++i)
        terms[i] = double_exp(log_q(static_cast<double>(scores[first + i])) - top);
      use(first, terms, count);
    }
  };
  double sum = 0;
  for_terms([&](std::size_t, const double* terms, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) sum += terms[i];
  });
  for_terms([&](std::size_t first, const double* terms, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) out[first + i] = static_cast<Real>(terms[i] / sum);
  });
}

// Class scores of a row by a simplex: one needs an output and the sum over those before it
// (codeword/simplex.h). Parts of the outputs come in order; `carry` is 0 at the first and kept
// between them. Writes a score for each output, and for the one behind them.
LANES_INLINE void simplex_scores(const float* outputs, std::size_t count,
                                 const double* half_diagonal, const double* half_below,
                                 double& carry, float* scores) {
  for (std::size_t c = 0; c < count; ++c) {
    const auto f = static_cast<double>(outputs[c]);
    scores[c] = static_cast<float>(half_diagonal[c] * f - carry);
    carry += half_below[c] * f;
  }
  scores[count] = static_cast<float>(-carry);
}

}  // namespace simplexboost
