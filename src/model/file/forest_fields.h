// The trees of a model as arrays of its file and back; docs/model-format.md names them.
#pragma once

#include <cstdint>

#include "model/file/tensor_fields.h"
#include "simplexboost/forest.h"

namespace simplexboost {

void write_forest(TensorWriter& out, const Forest& forest);

// What is read may still be unsound: check_ensemble looks at it.
Forest read_forest(const TensorReader& in, std::uint32_t outputs);

}  // namespace simplexboost
