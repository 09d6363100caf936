// Whether data sets made in memory can be trained on: sizes, codes and weights, so that nothing
// behind needs to ask again.
#pragma once

#include <cstdint>

#include "base/row_space.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

// All throw DataError that names the source and says what is wrong.

// Whether labels and weights are what they must be, in a share of the rows too; `least`: the
// smallest class code, -1 where classes may be unknown.
void check_rows(const Dataset& data, std::int32_t least);
// And whether there is enough to train on, on all ranks together.
void check_training_data(const Dataset& data, const RowSpace& space);
// `valid` must have the columns and the kind of labels of `data`; classes may be unknown (-1).
void check_validation_data(const Dataset& valid, const Dataset& data, const RowSpace& space);

}  // namespace simplexboost
