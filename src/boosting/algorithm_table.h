// The named algorithms: each is one row that picks an optimiser, codewords, a weak learner and a
// loss (jmlr2019 Table 5). Adding an algorithm means adding a row.
#pragma once

#include <span>
#include <string_view>

namespace simplexboost {

struct AlgorithmRow {
  std::string_view name, optimiser, codewords, learner, loss, paper, summary;
};

std::span<const AlgorithmRow> algorithm_table();

}  // namespace simplexboost
