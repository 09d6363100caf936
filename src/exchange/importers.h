// The readers of other programs' models. All throw ModelError or JsonError.
#pragma once

#include <string_view>

#include "base/text/json.h"
#include "model/ensemble.h"

namespace simplexboost {

Ensemble import_xgboost(const Json& file);
Ensemble import_lightgbm(std::string_view text);

}  // namespace simplexboost
