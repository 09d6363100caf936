// Ternary votes (icml2014, footnote 5): v in {-1, 0, +1}, where a cut may have no say on a class.
//
// Of what the votes of a cut on a class weigh, W+ is right and W- wrong; with one step for the
// whole hypothesis, a = 1/2 ln(W+ / W-) over all that vote, Z = 1 - (sqrt(W+) - sqrt(W-))^2
// (Schapire and Singer 1999, section 3.4). For a given a, votes are worth keeping if W+ / W- is
// above e^a: so the best set is the first so many in the order of that ratio, and trying all of
// these finds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/row_space.h"
#include "simplexboost/weak_learner.h"
#include "tree/leaf/leaf_rule.h"

namespace simplexboost {

// What the votes of a cut on one class weigh.
struct VoteWeight {
  double right = 0;
  double wrong = 0;
};

// Those that vote for the least Z; some, where any is more right than wrong.
std::vector<bool> voting(std::span<const VoteWeight> votes);

// Sets the votes of leaves to 0 that are better not cast, class by class for the two leaves of a
// cut together. `leaf_of_row`: of the rows that are here, the target's pulls being W y.
void abstain(const GrownTree& tree, const FitTarget& target,
             std::span<const std::uint32_t> leaf_of_row, const RowSpace& space, Leaves& leaves);

}  // namespace simplexboost
