// From the sums of a leaf's rows to the vector that the leaf says. A rule sees a grown tree and
// fills one vector a leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tree/grown_tree.h"
#include "tree/histogram/row_stats.h"

namespace simplexboost {

enum class LeafRule : std::uint8_t {
  kClass,       // 1 at the class of the largest pull, 0 elsewhere
  kSubset,      // 1 at every class with a positive pull, 0 elsewhere
  kVote,        // -v left and +v right of the cut above, v = sign(G_right - G_left)
  kTernary,     // as kVote, but 0 where a vote is better not cast (abstention.h)
  kMean,        // G / (W + l2): least squares, and Newton with a scalar curvature
  kProportion,  // G_y / sum_y G_y: confidence-rated; all alike where there is no pull
  kClassVote,   // +1 at the class of the largest pull, -1 elsewhere
  kShare,       // P_y / sum_y P_y, P in the place of curvatures; all alike where there is none
  kConfidence,  // ln(W+ / W-) / 2, W+ and W- the weights of yes and no, smoothed
};

// The leaves of a tree in node order, and their vectors.
struct Leaves {
  std::vector<std::int32_t> of_node;  // leaf number of each node; -1 for inner ones
  std::size_t count = 0;
  std::vector<float> values;  // count x width
};

// Values in the units of the target that the statistics were made from.
void set_leaves(const GrownTree& tree, const RowStats& stats, LeafRule rule, double l2,
                Leaves& leaves);

}  // namespace simplexboost
