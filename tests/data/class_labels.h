// Labels without a data set around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simplexboost/dataset.h"

namespace simplexboost::testing {

inline Labels labels_of(const std::vector<std::int32_t>& codes, std::size_t classes) {
  Labels labels;
  labels.codes = codes;
  for (std::size_t k = 0; k < classes; ++k) labels.classes.push_back(std::to_string(k));
  return labels;
}

}  // namespace simplexboost::testing
