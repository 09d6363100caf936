// How much of the rows is of each class.
#pragma once

#include <vector>

#include "base/row_space.h"
#include "base/row_weights.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

// By weight, those of all ranks; of several labels a row, the share of the rows that have each
// among those that know.
std::vector<double> shares_of_classes(const Labels& labels, const RowWeights& weights,
                                      const RowSpace& space);

}  // namespace simplexboost
