// A user's own codewords: CSV without a header, one line a class, one column a dimension.
#pragma once

#include <string>

#include "codeword/codebook.h"

namespace simplexboost {

// Throws IoError or DataError (with line and column) unless every cell is a finite number, all
// lines are of the same length, there are at least two of them and no two are equal.
Codebook read_codebook(const std::string& path);

}  // namespace simplexboost
