// Codewords of few dimensions that are as far apart as they can be: unit, centred, and of the
// largest minimum distance (the Tammes problem, jmlr2019 section 5.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codeword/codebook.h"

namespace simplexboost {

// For K >= 2 and d >= 2 (or K = 2, d = 1). Where the best set is known it is given as such: the
// simplex for d = K - 1 and, with zeros, beyond, the regular polygon for d = 2, and simplexes in
// orthogonal subspaces for K <= 2d, where no set has all angles above 90 degrees (Rankin 1955).
// Else it is searched for. The result does not depend on the number of threads.
Codebook max_min_codebook(std::size_t classes, std::size_t dimension, std::uint64_t seed,
                          int threads);

// The search alone, for any K > d >= 2: classes x dimension numbers, row-major.
std::vector<double> search_max_min(std::size_t classes, std::size_t dimension, std::uint64_t seed,
                                   int threads);

// Makes unit vectors unit and centred at once, moving them as little as they are off centre: with t
// their geometric median, (y_k - t) / |y_k - t| have sum 0, for that is what defines the median.
void centre_on_sphere(std::vector<double>& points, std::size_t dimension);

}  // namespace simplexboost
