// Rows that are equal in all features, found by hashes.
#pragma once

#include <cstdint>
#include <vector>

#include "simplexboost/dataset.h"

namespace simplexboost {

// A hash of the features of each row, in any data set of the same columns. Missing values are
// alike.
std::vector<std::uint64_t> row_hashes(const Dataset& data);

// The share of the rows that equal another one in every feature.
double share_of_repeats(const Dataset& data);

}  // namespace simplexboost
