// Which features matter, to the model and to each class.
#pragma once

#include <cstddef>
#include <vector>

#include "base/text/json.h"
#include "simplexboost/model.h"

namespace simplexboost {

// {features: [names], shares: [of all gain or splits], gain, classes: features x classes, in
// hundredths of the class's own total}.
Json importance_facts(const Model& model, std::size_t most);

}  // namespace simplexboost
