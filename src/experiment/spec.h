// An experiment as its file declares it: data sets, how each is split, algorithms with their
// settings, and the figures that the paper reports for them. Plain values; nothing is run here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "simplexboost/generate.h"
#include "simplexboost/parameters.h"

namespace simplexboost {

enum class ExperimentMetric : std::uint8_t { kAccuracy, kError };  // both in percent

// Which rows choose the number of rounds and the settings of a grid.
enum class ValidationRows : std::uint8_t {
  kNone,      // nothing is chosen
  kNextFold,  // the fold after the test fold; of sets with their own test rows, one fold's share
  kFolds,     // the training rows in folds: each is held out once, and the errors averaged
};

// How the number of rounds follows from the validation errors.
enum class RoundsRule : std::uint8_t {
  kAll,       // as many as asked for
  kBest,      // those of the least error
  kSmoothed,  // those of the least smoothed error, icml2014 (15)
};

// How rows are split: for the test, where a set has no test rows of its own, and for validation.
struct ExperimentProtocol {
  double test_fraction = 0.2;
  std::vector<std::uint64_t> seeds{0};  // a random split, or a shuffle before the folds, for each
  int folds = 0;                        // 0: random splits; else cross-validation
  ValidationRows validation = ValidationRows::kNone;
  int validation_folds = 5;  // kFolds
  RoundsRule rounds_rule = RoundsRule::kAll;
  bool retrain = false;  // with what was chosen, on training and validation rows together
  // All figures are those of the round of least training error, as in jmlr2005, instead of the
  // last.
  bool at_least_train_error = false;
};

struct ExperimentData {
  std::string name;        // the key of the paper's figures
  std::string folder;      // where its files are
  std::string paper_name;  // may be empty: the same
  // Rows that the paper tested on, for the error bar of its figures; 0: as many as here.
  std::size_t paper_test_rows = 0;
  std::optional<GeneratorSpec> train_generator;  // instead of files
  std::optional<GeneratorSpec> test_generator;   // where there is no file of test rows
  bool pool = false;     // its own test rows are put to the others, and all split by the protocol
  bool ordinal = false;  // categories are taken as numbers, in the order of their names
  // Share of the training and validation rows whose class is replaced by another one, all alike.
  double label_noise = 0;
  int most_rounds = 0;         // > 0: at most so many rounds on this set
  std::string image = "none";  // the shape of its images, for algorithms with filters
};

// The values that a parameter is tried with, as texts.
struct GridAxis {
  std::string parameter;
  std::vector<std::string> values;
};

struct ExperimentAlgorithm {
  std::string name;                 // as the paper calls it
  Parameters parameters;            // `threads` and `seed` are the run's, not the file's
  int rounds_per_class = 0;         // > 0: the number of rounds is this times the classes
  int quick_rounds = 0;             // > 0: at most so many rounds in a quick run
  bool all_dimensions = false;      // a run for each dimension of max-min codewords, 2 to classes
  std::vector<GridAxis> grid = {};  // every combination is tried, the best on validation rows taken
  // Further axes, where folds are the validation rows: sets with their own test rows go without, as
  // kdd2014 chooses n'.
  std::vector<GridAxis> fold_grid = {};
  std::optional<RoundsRule> rounds_rule = {};  // instead of the protocol's
  // Figures of the log that must stay below others in every round: bound_24 over
  // pseudo_loss_error.
  std::map<std::string, std::string> bounds = {};
};

// Two algorithms, data set by data set, as a table of wins (+), draws (o) and losses (-).
struct PairwiseTable {
  std::string title;
  std::string first;  // whose wins are counted
  std::string second;
  std::vector<std::string> measures;         // less is better; "error" is that of the test
  std::vector<std::string> data;             // empty: all
  std::map<std::string, std::string> paper;  // by data set: the paper's signs, one a measure
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
  // Further measures (experiment/measures.h), in the order of the report.
  std::vector<std::string> measures;
  // The paper's figures for them, by algorithm, data set and measure.
  std::map<std::tuple<std::string, std::string, std::string>, double> measured;
  // Figures of the log that are drawn against rounds; "test_error" is one, too.
  std::vector<std::string> curves;
  std::vector<PairwiseTable> pairwise;
  // Rounds after which the test rows' scores and margins are drawn; the first data set only.
  std::vector<std::size_t> stages;
};

}  // namespace simplexboost
