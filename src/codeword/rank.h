// Whether codewords can tell class probabilities at all (jmlr2019, Lemma 3).
#pragma once

#include "codeword/codebook.h"

namespace simplexboost {

// Whether the scores that minimise a risk determine the posterior: only if the differences of the
// codewords span K - 1 dimensions. Where they span fewer, many posteriors have the same minimiser
// (Lemma 3, 2), and no rule can tell which of them it was.
bool tells_posterior(const Codebook& codebook);

}  // namespace simplexboost
