// One line of JSON for machines. Numbers that JSON cannot say (NaN, infinity) become null, and text
// that is no UTF-8 is repaired, so that the line can always be parsed.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace simplexboost::cli {

void print_json(const nlohmann::ordered_json& value);

// A count without a fraction where it has none: 3, not 3.0.
nlohmann::ordered_json json_count(double count);

}  // namespace simplexboost::cli
