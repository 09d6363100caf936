// What the tests of boosting ask of a trained model: columns of its log, and its error.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/model.h"

namespace simplexboost::testing {

inline std::vector<double> column(const Model& model, const std::string& name) {
  std::vector<double> values = model.log().column(name);
  if (values.empty() && model.rounds() > 0) throw std::out_of_range("no column " + name);
  return values;
}

// The share of the rows whose class is not predicted.
inline double error_of(const Model& model, const Dataset& data) {
  const std::vector<std::int32_t> predicted = model.predict(data);
  double wrong = 0;
  for (std::size_t i = 0; i < data.rows; ++i) wrong += predicted[i] != data.labels.codes[i] ? 1 : 0;
  return wrong / static_cast<double>(data.rows);
}

}  // namespace simplexboost::testing
