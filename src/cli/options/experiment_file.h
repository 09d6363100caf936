// An experiment's spec from its TOML file. Every key is checked; what is wrong is an error with the
// file, line and column.
#pragma once

#include <string>

#include "experiment/spec.h"

namespace simplexboost::cli {

ExperimentSpec read_experiment_file(const std::string& path);

}  // namespace simplexboost::cli
