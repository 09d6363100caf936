// The loss of added_formula.h, and its twin as a user would write it (sample_pairs.h).
#pragma once

#include <memory>

#include "loss/loss.h"

namespace simplexboost::testing {

std::shared_ptr<const Loss> added_loss();

}  // namespace simplexboost::testing
