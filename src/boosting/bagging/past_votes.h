// The votes of a forest's trees for rows that they had not seen, once more: from the model alone,
// after the training that grew it is over.
#pragma once

#include "base/row_weights.h"
#include "boosting/bagging/vote_board.h"
#include "model/ensemble.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

// Adds them to the board of the rows that are here. False where those of all ranks, whose
// `weights` are given, are not the rows that the forest was trained on, as the last out-of-bag
// figures of its log tell; the board is worth nothing then.
bool add_past_votes(const Ensemble& forest, const Dataset& data, const RowWeights& weights,
                    const RowSpace& space, VoteBoard& board);

}  // namespace simplexboost
