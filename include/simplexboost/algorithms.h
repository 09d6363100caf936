// The named algorithms, for programs that show or offer them.
#pragma once

#include <string_view>
#include <vector>

#include "simplexboost/export.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

// What an algorithm is made of, in words.
struct Algorithm {
  std::string_view name;  // for Parameters::algorithm
  // The defaults where `composed`: there codewords and loss may be chosen.
  std::string_view optimiser, codewords, learner, loss;
  std::string_view paper, summary;
  bool composed = false;
  bool multi_label = false;  // takes several labels a row
};

// All of them, in the order of `simplexboost algorithms`.
SIMPLEXBOOST_API std::vector<Algorithm> algorithms();

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
