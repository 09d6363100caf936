// What one of several ranks has fitted, for all of them.
#pragma once

#include <optional>

#include "base/communicator.h"
#include "quality/cross_fit.h"

namespace simplexboost {

// Whether it holds on some rank, on all.
bool anywhere(Communicator& ranks, bool here);

// Replaces it by that of `root`; of one that is not whole nothing is left but that.
void share_fit(Communicator& ranks, int root, std::optional<CrossFit>& fit);

}  // namespace simplexboost
