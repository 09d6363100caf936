// The arrays of a model file that tell how sure it is: shares of the classes, the map of its
// probabilities and the scores of its sets.
#pragma once

#include "model/ensemble.h"
#include "model/file/tensor_fields.h"

namespace simplexboost {

void write_certainty(TensorWriter& out, const Ensemble& ensemble);
void read_certainty(const TensorReader& in, Ensemble& ensemble);

// Throws ModelError unless all of it fits and every number is one that prediction can use.
void check_certainty(const Ensemble& ensemble);

}  // namespace simplexboost
