// An experiment as its file declares it: data sets, how each is split, algorithms with their
// settings, and the figures that the paper reports for them. Plain values; nothing is run here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simplexboost/generate.h"
#include "simplexboost/parameters.h"

namespace simplexboost {

enum class ExperimentMetric : std::uint8_t { kAccuracy, kError };  // both in percent

// How data without a test part of its own is split.
struct ExperimentProtocol {
  double test_fraction = 0.2;
  std::vector<std::uint64_t> seeds{0};  // a random split, or a shuffle before the folds, for each
  int folds = 0;                        // 0: random splits; else cross-validation
};

struct ExperimentData {
  std::string name;        // the folder's name, and the key of the paper's figures
  std::string paper_name;  // may be empty: the same
  // Rows that the paper tested on, for the error bar of its figures; 0: as many as here.
  std::size_t paper_test_rows = 0;
  std::optional<GeneratorSpec> train_generator;  // instead of files
  std::optional<GeneratorSpec> test_generator;   // where there is no file of test rows
};

struct ExperimentAlgorithm {
  std::string name;             // as the paper calls it
  Parameters parameters;        // `threads` and `seed` are the run's, not the file's
  int rounds_per_class = 0;     // > 0: the number of rounds is this times the classes
  int quick_rounds = 0;         // > 0: at most so many rounds in a quick run
  bool all_dimensions = false;  // a run for each dimension of max-min codewords, 2 to classes - 1
};

// A figure of the paper, in percent; its error bar where the paper gives one.
struct PaperFigure {
  double value = 0;
  std::optional<double> bar;
};

struct ExperimentSpec {
  std::string name;  // the file's name without its extension: results are named after it
  std::string title;
  std::string paper;
  std::string notes;  // what the paper leaves open and what is done here, for the report
  ExperimentMetric metric = ExperimentMetric::kAccuracy;
  ExperimentProtocol protocol;
  std::vector<ExperimentData> data;
  std::vector<ExperimentAlgorithm> algorithms;
  // By algorithm and data set.
  std::map<std::pair<std::string, std::string>, PaperFigure> figures;
  // Rounds after which the test rows' scores and margins are drawn; the first data set only.
  std::vector<std::size_t> stages;
};

}  // namespace simplexboost
