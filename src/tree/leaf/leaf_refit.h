// Leaf values from another, usually wider, target than the one that shaped the tree.
#pragma once

#include <cstdint>
#include <span>

#include "base/row_space.h"
#include "optimizer/leaf_target.h"
#include "tree/leaf/leaf_rule.h"

namespace simplexboost {

struct LeafRefit {
  const LeafTarget& target;
  const float* weights;  // of the rows; null: all 1
  double l2;             // in the units of the curvatures
};

// Sets leaf values to what the target makes of the sums of its pulls and curvatures over the leaf's
// rows, those of other ranks too: G_j / (damping * H_j + l2), if nothing else. `leaf_of_row`: of
// all rows that are here (leaf_assignment.h).
void refit_leaves(const GrownTree& tree, std::span<const std::uint32_t> leaf_of_row,
                  const LeafRefit& refit, const RowSpace& space, Leaves& leaves);

}  // namespace simplexboost
