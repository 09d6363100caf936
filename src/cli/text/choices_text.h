// What a training decided by itself, member by member, and why.
#pragma once

#include <string>

#include "base/text/json.h"
#include "model/ensemble.h"

namespace simplexboost::cli {

// A heading and tables; nothing where all was as the settings say.
std::string choices_text(const Ensemble& ensemble);

// null then.
Json choices_json(const Ensemble& ensemble);

}  // namespace simplexboost::cli
