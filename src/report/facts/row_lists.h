// Rows to look at: the hardest ones, and those whose labels may be wrong.
#pragma once

#include <cstddef>
#include <vector>

#include "report/facts/row_facts.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"
#include "simplexboost/report.h"

namespace simplexboost {

// The rows whose own class is the furthest behind.
std::vector<std::size_t> hardest_rows(const RowFacts& facts, std::size_t most);

// Rows whose label is more likely wrong than right (rank_suspects()), the clearest first; where
// there are very many rows and classes, of a sample. `count`: of them all.
struct Suspects {
  std::vector<std::size_t> rows;
  std::vector<double> wrong;  // the chance that the label is
  std::size_t count = 0;
};
Suspects suspect_rows(const Model& model, const RowFacts& facts, const Dataset& data,
                      std::size_t most, const ReportOptions& options);

}  // namespace simplexboost
