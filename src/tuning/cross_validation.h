// Cross-validation: trains with each fold held out in turn and judges what was trained on the rows
// it has not seen. Repeats do it again with other folds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "metric/metric_table.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"
#include "simplexboost/parameters.h"
#include "simplexboost/progress.h"

namespace simplexboost {

struct CrossValidationOptions {
  int folds = 5;
  int repeats = 1;                    // repeat r has the seed Parameters::seed + r
  std::vector<std::uint32_t> groups;  // data/rows/folds.h; empty: each row for itself
  // Rows for early stopping, never those of the fold that is held out: a share of the others, or
  // the next fold (3/1/1 of kdd2014, with five folds). Neither: no validation rows.
  double valid_fraction = 0;
  bool valid_fold = false;
  // Share of the training and validation labels that are made wrong; test labels stay.
  double label_noise = 0;
  // Bins are chosen once, from the features of all rows: they know no labels, but they know where
  // values of the held-out rows lie. True: from each fold's training rows alone.
  bool exact_bins = false;
  bool keep_scores = false;     // FoldScores for every row
  std::vector<Metric> metrics;  // what the held-out rows are judged by
  Progress* progress = nullptr;
};

struct FoldResult {
  int repeat = 0;
  int fold = 0;
  std::size_t train_rows = 0;
  std::size_t valid_rows = 0;
  std::size_t test_rows = 0;
  std::size_t absent_classes = 0;  // classes that occur in the data and not in the training rows
  std::size_t rounds = 0;
  double seconds = 0;
  std::string stop_reason;
  std::vector<double> values;  // one a metric
};

// The class scores of held-out rows, all rows of a repeat together, in the order of the data.
struct RepeatScores {
  std::vector<std::uint16_t> fold_of_row;
  Matrix scores;
  Matrix proba;  // empty where the models give none
};

struct CrossValidation {
  std::vector<FoldResult> folds;  // finished ones, repeat by repeat
  std::vector<RepeatScores> scores;
  bool whole = true;  // false: the progress stopped it
};

// Folds are trained side by side where that is faster; the results are the same. Throws DataError
// or ParameterError as training does.
CrossValidation cross_validate(const Dataset& data, const Parameters& parameters,
                               const CrossValidationOptions& options);

struct MeanAndDeviation {
  double mean = 0;
  double deviation = 0;  // of the folds' values, not of their mean; NaN for less than two
};

// Over the folds that have the figure (not NaN).
MeanAndDeviation summarize(const std::vector<FoldResult>& folds, std::size_t metric);

}  // namespace simplexboost
