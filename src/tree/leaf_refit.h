// Leaf values from another, usually wider, target than the one that shaped the tree.
#pragma once

#include <cstdint>
#include <span>

#include "base/row_space.h"
#include "simplexboost/weak_learner.h"
#include "tree/leaf_rule.h"

namespace simplexboost {

// Sets leaf values to G_j / (damping * H_j + l2), G and H the sums of the target's value pulls and
// curvatures over the leaf's rows, wherever they are. `leaf_of_row`: of the rows that are here
// (leaf_assignment.h).
void refit_leaves(const GrownTree& tree, std::span<const std::uint32_t> leaf_of_row,
                  const FitTarget& target, double l2, const RowSpace& space, Leaves& leaves);

}  // namespace simplexboost
