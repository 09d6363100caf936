// A model that training goes on from: whether it fits what is wanted now.
#pragma once

#include <cstddef>
#include <string>

#include "model/ensemble.h"

namespace simplexboost {

// Throws unless training `now`, so many rounds in all, can go on from `before`. `source`: of the
// training data, for the message.
void check_past_model(const Ensemble& before, const Ensemble& now, std::size_t rounds,
                      const std::string& source);

}  // namespace simplexboost
