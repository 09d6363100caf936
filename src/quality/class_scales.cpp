#include "quality/class_scales.h"

#include <algorithm>
#include <cmath>

#include "base/row_weights.h"
#include "certainty/fit_map.h"
#include "model/predict/adjusted.h"

namespace simplexboost {
namespace {

// That speak for the temperature: many, for the mean of all trainings is surer than each of them,
// whose rows these are.
constexpr double kScalePriorRows = 160;
constexpr double kMostScaleNumbers = 2e6;
constexpr double kStandardErrors = 2;

}  // namespace

bool may_have_class_scales(std::size_t rows, std::size_t classes) {
  return classes > 1 && worth_fitting("vector", rows, classes) &&
         static_cast<double>(rows) * static_cast<double>(classes) <= kMostScaleNumbers;
}

ProbabilityMap fit_class_scales(const JudgedRows& rows, int threads) {
  return fit_map("vector", rows, threads, kScalePriorRows);
}

bool speaks_for_class_scales(const Labels& labels, const std::vector<double>& given,
                             const Matrix& tempered, const Matrix& scaled) {
  const RowWeights weights(given);
  double total = 0;
  double sum = 0;
  const auto gain = [&](std::size_t i) {
    const auto of = [&](const Matrix& proba) {
      return std::log(std::max(static_cast<double>(proba.row(i)[labels.codes[i]]), kLeastTold));
    };
    return labels.codes[i] < 0 ? 0 : of(scaled) - of(tempered);
  };
  for (std::size_t i = 0; i < tempered.rows; ++i) {
    total += weights[i];
    sum += weights[i] * gain(i);
  }
  const double mean = sum / total;
  double squares = 0;
  for (std::size_t i = 0; i < tempered.rows; ++i) {
    const double off = weights[i] * (gain(i) - mean);
    squares += off * off;
  }
  return mean > kStandardErrors * std::sqrt(squares) / total;
}

}  // namespace simplexboost
