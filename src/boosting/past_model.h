// A model that training goes on from: whether it fits what is wanted now, and what its log says.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "model/ensemble.h"

namespace simplexboost {

// Throws unless training `now`, so many rounds in all, can go on from `before`. `source`: of the
// training data, for the message.
void check_past_model(const Ensemble& before, const Ensemble& now, std::size_t rounds,
                      const std::string& source);

// What a log says of a round, counted from 0; nothing where it has no such column or round.
std::optional<double> logged_value(const TrainingLog& log, std::string_view column,
                                   std::size_t round);

}  // namespace simplexboost
