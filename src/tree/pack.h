// Turns a grown tree, which speaks of bins, into a packed one, which speaks of values.
#pragma once

#include <cstddef>
#include <vector>

#include "data/binning.h"
#include "simplexboost/forest.h"
#include "tree/grower.h"
#include "tree/leaf_rule.h"

namespace simplexboost {

// Appends the tree with its leaf values times `factor`. It writes to the outputs from `output` on;
// gains are recorded in real units of `gain_unit`.
void pack_tree(const GrownTree& tree, const Leaves& leaves, const std::vector<FeatureBins>& bins,
               std::size_t output, std::size_t width, double factor, double gain_unit,
               Forest& forest);

}  // namespace simplexboost
