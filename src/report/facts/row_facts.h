// What a model says of each labelled row, in a few numbers a row: all parts of a report are made
// from these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/model.h"
#include "simplexboost/report.h"

namespace simplexboost {

// More can neither be looked at, nor can something be kept of each pair of them.
inline constexpr std::size_t kMostReportClasses = 2000;

struct RowFacts {
  std::size_t rows = 0;
  std::size_t classes = 0;
  bool proba = false;                   // whether there are probabilities
  std::vector<std::int32_t> truth;      // -1: a class that the model does not know
  std::vector<std::int32_t> predicted;  // of the highest score, the lower one of equals
  std::vector<std::int32_t> second;     // of the next; -1 where there is one class only
  std::vector<float> margin;            // jmlr2019 (9); NaN for unknown classes
  std::vector<float> truth_proba;       // 0 for unknown classes; this and the next: only if `proba`
  std::vector<float> top_proba;
  std::vector<double> weight;
  // Classes x classes: the weight of the rows of a true class, divided among the classes by their
  // probabilities (by what is predicted where there are none).
  std::vector<double> mass;

  bool wrong(std::size_t i) const { return truth[i] != predicted[i]; }
};

// Of the rows of `data`, by the model's or the options' probabilities. Throws DataError unless
// there is a label a row, and not too many classes.
RowFacts gather_rows(const Model& model, const Dataset& data, const ReportOptions& options);

// Some of the rows with all that is said of them: a draw by the seed where there are many.
struct RowSample {
  std::vector<std::uint32_t> rows;  // ascending
  Matrix scores;                    // rows x classes
  Matrix proba;                     // rows x classes; empty where there are none
};

RowSample sample_rows(const Model& model, const Dataset& data, std::size_t most,
                      const ReportOptions& options);

// Up to `most` of the numbers below `count`, ascending.
std::vector<std::uint32_t> draw_rows(std::size_t count, std::size_t most, std::uint64_t seed);

}  // namespace simplexboost
