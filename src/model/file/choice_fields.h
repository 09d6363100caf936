// The arrays of a model file that tell what training decided by itself, and why.
#pragma once

#include "model/ensemble.h"
#include "model/file/tensor_fields.h"

namespace simplexboost {

// Nothing where nothing was decided, as in files of before.
void write_choices(TensorWriter& out, const Ensemble& ensemble);
void read_choices(const TensorReader& in, Ensemble& ensemble);

}  // namespace simplexboost
