// Choices that validation rows make: the settings of a grid and the number of rounds (icml2014,
// section 4; kdd2014, section 3).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/files/checkpoint_file.h"
#include "boosting/shared_progress.h"
#include "experiment/experiment_data.h"
#include "experiment/journal.h"
#include "experiment/measures.h"
#include "experiment/spec.h"
#include "simplexboost/model.h"
#include "simplexboost/parameters.h"

namespace simplexboost {

// Every combination of the values of the grid; the parameters themselves where there is none.
std::vector<Parameters> grid_points(const Parameters& parameters,
                                    const std::vector<GridAxis>& grid);

// The rounds that the rule takes, of an error a round, and the error there; kSmoothed: the smoothed
// one, by which icml2014 chooses among settings, too.
StoppingTime choose_rounds(RoundsRule rule, const std::vector<double>& errors);

struct Selection {
  Parameters parameters;
  std::size_t rounds = 0;
  double valid_error = 1;  // the mean over the parts, as choose_rounds has it
  // Of the first part, with all its rounds; none where its errors were known before.
  std::optional<Model> model;
  std::string words;  // "leaves = 21, 812 rounds; validation error 2.31 %"
};

// Where the errors of trainings are kept until the cell is finished.
struct TrialMemory {
  TrialLog* log = nullptr;               // null: nowhere
  std::string cell;                      // whose trainings these are
  CheckpointFile* checkpoint = nullptr;  // of trainings under way; null: none
};

// Trains each point of the grid on every part and takes the one of least validation error at the
// rounds that the rule chooses; the first of equals. Nothing if the progress stopped it.
std::optional<Selection> select_settings(const std::vector<TrainValid>& parts,
                                         const Parameters& parameters,
                                         const std::vector<GridAxis>& grid, RoundsRule rule,
                                         PartProgress& progress, const TrialMemory& memory = {});

}  // namespace simplexboost
