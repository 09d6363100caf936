// The margins of the training rows, for people and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "loss/margin.h"

namespace simplexboost::cli {

// A heading and a table of one line; nothing where there are no margins.
std::string margins_text(const std::optional<MarginSummary>& margins);

// null where there are none.
nlohmann::ordered_json margins_json(const std::optional<MarginSummary>& margins);

}  // namespace simplexboost::cli
