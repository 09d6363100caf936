// Prediction on a GPU.
#pragma once

#include <string>

#include "simplexboost/export.h"
#include "simplexboost/model.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

// The same model, whose classes, scores, probabilities, outputs and margins of many rows are
// computed on a device, "cuda" or "cuda:N", to the same numbers; "cpu": the model as it was. Its
// trees are brought there once. Few rows, single ones, and models with linear parts or filters of
// images stay on the CPU. Throws ParameterError where there is no such device, DataError where it
// has no room for the trees.
SIMPLEXBOOST_API Model on_device(const Model& model, const std::string& device);

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
