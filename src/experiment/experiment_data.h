// The data sets of an experiment, found under a folder or generated, and their splits into
// training and test rows. A set that is not there is named, never replaced by another one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiment/spec.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

struct LoadedData {
  const ExperimentData* spec = nullptr;
  Dataset train;                // or all rows, where `test` is empty
  std::optional<Dataset> test;  // the set's own test rows

  std::size_t classes() const { return train.labels.classes.size(); }
};

struct DataSearch {
  std::vector<LoadedData> found;
  std::vector<std::string> missing;  // a sentence for each
};

// Looks for DIR/name/train.csv.gz (with test.csv.gz) or DIR/name/data.csv.gz; .csv is tried too. An
// empty `folder` leaves only generated sets. A file that cannot be read right is an error.
DataSearch load_experiment_data(const ExperimentSpec& spec, const std::string& folder, int threads);

struct ExperimentSplit {
  std::string name;  // "test", "seed 3", "seed 3 fold 2"
  std::uint64_t seed = 0;
  int fold = -1;  // -1: no folds
};

// The splits that a data set is run with; in a quick run only the first one.
std::vector<ExperimentSplit> experiment_splits(const LoadedData& data,
                                               const ExperimentProtocol& protocol, bool quick);

// Rows to train with and rows to choose by.
struct TrainValid {
  Dataset train;
  Dataset valid;
};

struct SplitData {
  Dataset train;  // all but the test rows
  Dataset test;
  std::vector<TrainValid> validation;  // parts of `train`, as the protocol has it
};

// Label noise is in all parts but the test rows. In a quick run only the first of several
// validation parts is made.
SplitData split_data(const LoadedData& data, const ExperimentProtocol& protocol,
                     const ExperimentSplit& split, bool quick = false);

// Parts of validation in one split.
std::size_t validation_parts(const ExperimentProtocol& protocol, bool quick);

}  // namespace simplexboost
