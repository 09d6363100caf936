// Generated data of many classes, for the tests of boosting.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simplexboost/generate.h"

namespace simplexboost::testing {

inline Dataset many_classes(std::size_t rows, std::size_t classes, std::uint64_t seed = 1) {
  GeneratorSpec spec;
  spec.name = "manyclass";
  spec.rows = rows;
  spec.classes = classes;
  spec.seed = seed;
  return generate(spec);
}

}  // namespace simplexboost::testing
