// How many filters a node of a tree looks at.
#pragma once

#include <cstddef>

#include "simplexboost/parameters.h"

namespace simplexboost {

// 0 where there are no images.
inline std::size_t filters_of_a_node(const Parameters& parameters) {
  constexpr std::size_t kByDefault = 64;
  if (parameters.image == "none") return 0;
  return parameters.filters > 0 ? static_cast<std::size_t>(parameters.filters) : kByDefault;
}

}  // namespace simplexboost
