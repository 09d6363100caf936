// The covers of leaves, which explanations of a model weigh its paths by: the weight of the
// training rows that reach each.
#pragma once

#include <cstddef>

#include "optimizer/optimizer.h"
#include "simplexboost/dataset.h"
#include "simplexboost/forest.h"

namespace simplexboost {

// Appends those of the trees from `first` on, which have none yet. Where the hypothesis tells the
// leaves of the rows they are counted; else the rows walk the trees. `data`: the training rows, of
// which all count, those too that a round did not draw. All ranks call it together.
void append_covers(Forest& forest, std::size_t first, const RowVectors& hypothesis,
                   const Dataset& data, const Problem& problem);

}  // namespace simplexboost
