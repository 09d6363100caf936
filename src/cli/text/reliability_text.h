// Whether probabilities mean what they say, in words and as JSON.
#pragma once

#include <string>
#include <vector>

#include "base/text/json.h"
#include "metric/reliability.h"

namespace simplexboost::cli {

// `before`: of the model without its calibration; null: it has none.
std::string reliability_text(const Reliability& now, const Reliability* before,
                             const std::vector<std::string>& classes);
Json reliability_json(const Reliability& reliability, const std::vector<std::string>& classes);

}  // namespace simplexboost::cli
