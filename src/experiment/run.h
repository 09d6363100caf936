// Runs an experiment cell by cell: a data set, an algorithm, a dimension and a split make a cell,
// one training and its test. Finished cells are in a journal and not run again.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/files/checkpoint_file.h"
#include "experiment/experiment_data.h"
#include "experiment/journal.h"
#include "experiment/spec.h"
#include "simplexboost/model.h"
#include "simplexboost/progress.h"

namespace simplexboost {

// The cells of one algorithm on one data set, over all splits: a row of the report.
struct ExperimentRow {
  const LoadedData* data = nullptr;
  const ExperimentAlgorithm* algorithm = nullptr;
  int dimension = 0;                    // 0: as the algorithm has it
  std::vector<ExperimentSplit> splits;  // one a cell
  std::vector<CellResult> results;      // of the first cells; of all, once it is finished
  Parameters parameters;                // with the rounds of this data set
  ExperimentProtocol protocol;          // as this algorithm and this data set take it
  std::vector<GridAxis> grid;           // likewise
  bool quick = false;
  bool wanted = true;  // to be run now

  bool finished() const { return results.size() == splits.size(); }
};

struct RunOptions {
  bool quick = false;
  int threads = 0;
  // Data sets and algorithms to run now; the rows of all others only hold what the journal has.
  // Empty: all.
  std::set<std::string> only = {};
};

// Everything that the spec asks for, in the order of the report, nothing run yet.
std::vector<ExperimentRow> plan_experiment(const ExperimentSpec& spec, const DataSearch& data,
                                           const RunOptions& options);

// Rounds to be trained that the journal does not hold yet.
std::size_t rounds_to_run(const std::vector<ExperimentRow>& rows, const ExperimentSpec& spec,
                          const Journal& journal);

struct RunHooks {
  Progress* progress = nullptr;  // hears of the rounds of all cells as of one training
  std::function<void(const ExperimentRow&)> row_finished;
  CheckpointFile* checkpoint = nullptr;  // of the trainings under way; null: none
};

// Cells run at the same time, one a thread, where several are missing; the hooks are called by one
// thread at a time. False if the progress stopped it: the cells under way are lost, those before
// are in the journal, and the rows hold what the journal has.
bool run_experiment(std::vector<ExperimentRow>& rows, const ExperimentSpec& spec, Journal& journal,
                    const RunHooks& hooks);

}  // namespace simplexboost
