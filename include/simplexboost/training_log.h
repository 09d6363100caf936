// The record of a training, which the model keeps: figures of every round, why it ended, and how
// sure the model was of its training rows.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simplexboost/export.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

// Margins of a data set in a few numbers. A margin is by how much the score of a row's own class
// exceeds the best of the others (jmlr2019 (9)).
struct MarginSummary {
  double least = 0;  // the margin of the predictor on the set, jmlr2019 (14)
  double lower_quartile = 0;
  double median = 0;
  double upper_quartile = 0;
  double most = 0;
  double mean = 0;
  std::vector<std::size_t> histogram;  // rows in equal bins of [least, most]

  bool operator==(const MarginSummary&) const = default;
};

struct SIMPLEXBOOST_API TrainingLog {
  std::vector<std::string> columns;  // e.g. train_error, valid_error, edge, step
  std::vector<double> values;        // rounds x columns, row-major
  std::string stop_reason;
  // Of the training rows, at the end; none for multi-label data.
  std::optional<MarginSummary> margins = {};

  // How many rounds were logged: more than the model has where early stopping dropped the last.
  std::size_t rounds() const { return columns.empty() ? 0 : values.size() / columns.size(); }
  // One figure after a round, counted from 0; nothing where there is no such column or round.
  std::optional<double> value(std::string_view column, std::size_t round) const;
  // A figure of all rounds; empty where there is no such column.
  std::vector<double> column(std::string_view name) const;

  bool operator==(const TrainingLog&) const = default;
};

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
