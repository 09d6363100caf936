// Leaf values from another, usually wider, target than the one that shaped the tree.
#pragma once

#include "optimizer/fit_target.h"
#include "tree/grower.h"
#include "tree/leaf_rule.h"

namespace simplexboost {

// Sets leaf values to G_j / (damping * H_j + l2), G and H the sums of the target's value pulls and
// curvatures over the leaf's rows.
void refit_leaves(const GrownTree& tree, const FitTarget& target, double l2, int threads,
                  Leaves& leaves);

}  // namespace simplexboost
