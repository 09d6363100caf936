// Counts in the texts of pictures.
#pragma once

#include <cstddef>
#include <string>

namespace simplexboost::testing {

inline std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

}  // namespace simplexboost::testing
