// Leaf values from another, usually wider, target than the one that shaped the tree.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/row_space.h"
#include "optimizer/leaf_target.h"
#include "tree/leaf/leaf_rule.h"
#include "tree/leaf/value_sums.h"

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

// Its parts, for who sums elsewhere: the largest of the pulls and of the curvatures, before
// weights, if the target tells without a look at them; the units of their sums over so many rows,
// of weights up to `weight`; and the values that follow from sums in these, leaves x (pulls, then
// curvatures), of all leaves or of some.
struct LargestNumbers {
  double pull = 0;
  double curvature = 0;

  void take(const LargestNumbers& other);
};
std::optional<LargestNumbers> known_largest(const LeafTarget& target);
ValueUnits units_for(const LargestNumbers& largest, double weight, std::size_t rows);
void set_values(const LeafTarget& target, double l2, const ValueUnits& units,
                std::span<const std::int64_t> sums, std::vector<float>& values);

}  // namespace simplexboost
