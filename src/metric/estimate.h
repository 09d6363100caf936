// What a model is expected to do on new rows, from probabilities of rows that it had not seen:
// error, log loss and calibration with intervals, of all classes and of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/ensemble.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"

namespace simplexboost {

// Rows whose probabilities are known; those of `seen` 0 are left out (empty: none are).
struct JudgedRows {
  const Labels& labels;
  const std::vector<double>& weights;  // empty: all 1
  const Matrix& probabilities;         // rows x classes
  std::span<const std::uint8_t> seen = {};
};

// The figures "error", "log-loss" and "calibration" of all classes and of each: error and log loss
// of the class's own rows, calibration of its probability in all rows (the class against the rest).
// Of several labels a row "error" is the Hamming loss, and those of a label are of all rows that
// know it. Intervals hold with a chance of 95 %: Wilson's for shares, the normal one for means, and
// the jackknife's for the calibration error.
Estimate estimate_from(std::string method, const JudgedRows& rows);

}  // namespace simplexboost
