// Where and by what something was made, for reports.
#pragma once

#include <string>

namespace simplexboost::cli {

// The processor's name and the number of cores.
std::string machine_name();

// "2026-01-31"
std::string today();

// "simplexboost 0.2.0, commit abc1234"
std::string program_name();

}  // namespace simplexboost::cli
