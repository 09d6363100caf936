// What trees must obey, beside fitting.
#pragma once

#include <optional>

#include "tree/leaf/monotone.h"
#include "tree/split/interactions.h"

namespace simplexboost {

struct TreeConstraints {
  Monotone monotone;  // may be empty
  std::optional<Interactions> interactions;
};

}  // namespace simplexboost
