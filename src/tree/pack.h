// Turns a grown tree, which speaks of bins, into a packed one, which speaks of values.
#pragma once

#include <cstddef>
#include <vector>

#include "data/binning.h"
#include "simplexboost/forest.h"
#include "tree/leaf/leaf_rule.h"
#include "tree/split/category_sets.h"

namespace simplexboost {

// A node that tests what the split tests; its children are left to the caller. The set of a
// categorical test, or the filter of an image, goes into the forest.
Node pack_split(const Split& split, const FeatureBins& bins, CategorySets& sets);

// Appends the tree with its leaf values times `factor`. It writes to the outputs from `output` on;
// gains are recorded in real units of `gain_unit`.
void pack_tree(const GrownTree& tree, const Leaves& leaves, const std::vector<FeatureBins>& bins,
               std::size_t output, std::size_t width, double factor, double gain_unit,
               Forest& forest);

}  // namespace simplexboost
