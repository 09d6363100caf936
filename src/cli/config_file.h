// Training parameters from a TOML file: `rounds = 200`, one a line. A key that is no parameter, or
// a value out of its range, is an error with the file, line and column.
#pragma once

#include <string>

#include "simplexboost/parameters.h"

namespace simplexboost::cli {

void read_config_file(const std::string& path, Parameters& parameters);

}  // namespace simplexboost::cli
