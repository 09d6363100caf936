// The parameters `monotone` and `interactions` as constraints on trees.
#pragma once

#include <memory>

#include "learner/tree_constraints.h"
#include "simplexboost/dataset.h"
#include "simplexboost/parameters.h"

namespace simplexboost {

// Null where both are "none". Throws ParameterError where the data has not what they name.
std::shared_ptr<const TreeConstraints> read_constraints(const Parameters& parameters,
                                                        const Dataset& data);

}  // namespace simplexboost
