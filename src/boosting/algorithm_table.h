// The named algorithms: each is one row that picks an optimiser, codewords, a weak learner and a
// loss (jmlr2019 Table 5). Adding an algorithm means adding a row.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "learner/learner_table.h"
#include "model/ensemble.h"
#include "optimizer/optimizer.h"
#include "simplexboost/parameters.h"

namespace simplexboost {

struct AlgorithmRow {
  std::string_view name, optimiser, codewords, learner, loss, paper, summary;
  LearnerFamily family;  // which weak learners fit it; `learner` is the default
  bool multi_label;      // takes several labels a row
  std::unique_ptr<Optimizer> (*make_optimizer)(const Problem&, const Parameters&);
  // Sets how the scores become probabilities.
  void (*set_link)(Ensemble&);
};

std::span<const AlgorithmRow> algorithm_table();

// Throws ParameterError with the nearest names.
const AlgorithmRow& find_algorithm(std::string_view name);

}  // namespace simplexboost
