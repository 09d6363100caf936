// Reads columns of a training log, for the tests of boosting.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "simplexboost/model.h"

namespace simplexboost::testing {

inline std::vector<double> column(const Model& model, const std::string& name) {
  const TrainingLog& log = model.log();
  const auto found = std::find(log.columns.begin(), log.columns.end(), name);
  if (found == log.columns.end()) throw std::out_of_range("no column " + name);
  std::vector<double> values;
  for (auto i = static_cast<std::size_t>(found - log.columns.begin()); i < log.values.size();
       i += log.columns.size())
    values.push_back(log.values[i]);
  return values;
}

}  // namespace simplexboost::testing
