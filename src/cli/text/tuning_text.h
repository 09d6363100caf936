// What a search has tried and found: as a report, as JSON, as text.
#pragma once

#include <optional>

#include "cli/options/tune_options.h"
#include "cli/terminal/training_run.h"
#include "metric/evaluation.h"
#include "simplexboost/dataset.h"
#include "tuning/search.h"

namespace simplexboost::cli {

// What a search came to.
struct Tuned {
  const TuneOptions& options;
  const SearchOptions& search;
  const Dataset& data;
  const SearchResult& result;
  const Trial* winner;             // null: none
  std::optional<TrainingRun> run;  // of the winner, on all rows
  std::optional<Evaluation> test;  // of that, on the rows of --test
  double seconds = 0;
};

// The file of --report, where there is one.
void write_tuning_report(const Tuned& tuned);
void print_tuning_json(const Tuned& tuned);
void print_tuning_text(const Tuned& tuned);

}  // namespace simplexboost::cli
