// What must hold of a model.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "simplexboost/error.h"

namespace simplexboost {

template <class... Args>
void require(bool condition, fmt::format_string<Args...> what, Args&&... args) {
  if (!condition)
    throw ModelError("unsound model: " + fmt::format(what, std::forward<Args>(args)...));
}

}  // namespace simplexboost
