// Universal Binary JSON (https://ubjson.org, draft 12), in which XGBoost keeps its models.
#pragma once

#include <string_view>

#include "base/text/json.h"

namespace simplexboost {

// Throws JsonError with the position of what is wrong.
Json parse_ubjson(std::string_view bytes);

}  // namespace simplexboost
