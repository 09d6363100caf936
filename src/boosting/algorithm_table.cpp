#include "boosting/algorithm_table.h"

#include <array>

namespace simplexboost {

std::span<const AlgorithmRow> algorithm_table() {
  static constexpr std::array<AlgorithmRow, 1> kRows{{
      {"samme", "gradient", "simplex", "stump", "exponential", "Zhu et al. 2009",
       "AdaBoost with one vote a round for K classes"},
  }};
  return kRows;
}

}  // namespace simplexboost
