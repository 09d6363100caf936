// Output codes: matrices of +1, -1 and 0 whose columns are two-class problems (Allwein, Schapire
// and Singer 2000).
#pragma once

#include <cstddef>
#include <cstdint>

#include "codeword/codebook.h"

namespace simplexboost {

// A column for each pair of classes: +1, -1, and 0 for the others; d = K (K - 1) / 2.
Codebook all_pairs_codebook(std::size_t classes);

enum class CodeDensity : std::uint8_t {
  kDense,   // +1 and -1 alike
  kSparse,  // half zeros
};

// The number of columns that Allwein, Schapire and Singer take: 10 log2 K dense, 15 log2 K sparse,
// or as many as there are, where these are fewer.
std::size_t random_code_dimension(std::size_t classes, CodeDensity density);

// The best of many random matrices by the minimum distance. Rows differ from each other; columns
// have both signs, and differ from each other and each other's negatives. Throws ParameterError
// where no such matrix exists, or is too rare to be found.
Codebook random_codebook(std::size_t classes, std::size_t dimension, CodeDensity density,
                         std::uint64_t seed);

}  // namespace simplexboost
