// Whether data sets made in memory can be trained on: sizes, codes and weights, so that nothing
// behind needs to ask again.
#pragma once

#include "simplexboost/dataset.h"

namespace simplexboost {

// Both throw DataError that names the source and says what is wrong.
void check_training_data(const Dataset& data);
// `valid` must have the columns and the kind of labels of `data`; classes may be unknown (-1).
void check_validation_data(const Dataset& valid, const Dataset& data);

}  // namespace simplexboost
