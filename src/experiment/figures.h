// The pictures of an experiment, with the numbers behind them: accuracy against the dimension of
// the codewords (jmlr2019 Figure 6), errors against rounds (jmlr2005 Figure 5), and a classifier's
// predictions and margins after so many rounds (jmlr2019 Figures 4 and 5).
#pragma once

#include <string>
#include <vector>

#include "experiment/run.h"

namespace simplexboost {

struct NamedText {
  std::string name;  // of the file
  std::string text;
};

// A plot for each algorithm that was run in several dimensions, a line for each data set.
std::vector<NamedText> dimension_figures(const ExperimentSpec& spec,
                                         const std::vector<ExperimentRow>& rows);

// A plot for each data set and curve of the spec, a line for each algorithm: the mean over its
// cells.
std::vector<NamedText> curve_figures(const ExperimentSpec& spec,
                                     const std::vector<ExperimentRow>& rows);

// Trains the cell again, and shows the first 1,000 test rows after each of the spec's stages: a
// margin histogram, where the predictor has two components a scatter plot, and one table with both.
std::vector<NamedText> stage_figures(const ExperimentSpec& spec, const ExperimentRow& row);

}  // namespace simplexboost
