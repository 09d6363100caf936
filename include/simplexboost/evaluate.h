// How well a model does on labelled data: metrics by name, each class, and which classes are taken
// for which. docs/validation.md says what each metric is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/export.h"
#include "simplexboost/model.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

struct ClassSummary {
  double truth = 0;      // weight of the rows of this class
  double predicted = 0;  // weight of the rows said to be of this class
  double correct = 0;    // weight of the rows that are both
  double known = 0;      // sets of labels: weight of the rows that say whether it is true

  // NaN where there is nothing to divide by.
  double recall() const { return correct / truth; }
  double precision() const { return correct / predicted; }
  double f1() const { return 2 * correct / (truth + predicted); }
  double wrong() const { return truth + predicted - 2 * correct; }
};

struct ConfusionCell {
  std::int32_t truth = 0;
  std::int32_t predicted = 0;
  double weight = 0;

  bool operator==(const ConfusionCell&) const = default;
};

struct MetricValue {
  std::string name;  // as in EvaluateOptions::metrics
  double value = 0;  // NaN where there is nothing to divide by
  bool higher_is_better = false;
};

struct SIMPLEXBOOST_API EvaluationReport {
  std::size_t rows = 0;
  std::size_t wrong_rows = 0;
  std::size_t unknown_rows = 0;  // of classes that the model does not know: all wrong
  double weight = 0;             // of all rows
  std::vector<MetricValue> metrics;
  std::vector<ClassSummary> classes;  // in the order of the model's classes
  // One label a row: every pair that occurs, by true class, then by predicted class.
  std::vector<ConfusionCell> confusion;

  // By the name that was asked for; ParameterError where it was not.
  double metric(std::string_view name) const;
};

struct EvaluateOptions {
  // "error", "log-loss", "top-3-error", ...; empty: the few that say most. A name that there is
  // none of is a ParameterError that names the nearest.
  std::vector<std::string> metrics = {};
  PredictOptions predict = {};
};

// `data` must be read (or built) with the model's schema and have the model's kind of labels, one a
// row or sets of them; DataError otherwise.
SIMPLEXBOOST_API EvaluationReport evaluate(const Model& model, const Dataset& data,
                                           const EvaluateOptions& options = {});

// All metrics for one label a row, or for sets of them, by name.
SIMPLEXBOOST_API std::vector<std::string> metric_names(bool multi_label = false);

// Which way is better; ParameterError for a name that there is none of.
SIMPLEXBOOST_API bool higher_is_better(std::string_view metric, bool multi_label = false);

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
