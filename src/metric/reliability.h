// Whether probabilities mean what they say, in bins for a person to look at: of the class that is
// told, and of each class.
#pragma once

#include <cstddef>
#include <vector>

#include "base/communicator.h"
#include "metric/grouped_calibration.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"

namespace simplexboost {

// Of what was said with a probability within the bin: how much of it came true, with an interval of
// 95 % (Wilson's).
struct ReliabilityBin {
  double from = 0;
  double to = 0;
  double rows = 0;
  double probability = 0;  // mean
  double share = 0;
  double low = 0;
  double high = 0;
};

struct Reliability {
  std::vector<ReliabilityBin> bins;        // those that have rows
  CalibrationFigure top;                   // of the class that is told
  std::vector<CalibrationFigure> classes;  // of each class against all others
};

// `data` has one label a row; those that the model does not know are left out, and so are weights.
// With others, `data` is this rank's share of the rows, and all get the figures of one process:
// each predicts its rows, and they count in turn.
Reliability measure_reliability(const Model& model, const Dataset& data,
                                const PredictOptions& options, Communicator& ranks = no_others());

}  // namespace simplexboost
