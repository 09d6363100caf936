// Times as one writes them: 90, 90s, 10m, 2h.
#pragma once

#include <string>

namespace simplexboost::cli {

// As seconds; 0 where it is no such time, or not above 0.
double parse_seconds(const std::string& text);

// The same of --budget, with a UsageError where it is none.
double budget_seconds(const std::string& text);

}  // namespace simplexboost::cli
