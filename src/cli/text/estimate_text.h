// What a model says of itself: the members that it is pooled from, and the figures that it expects
// on new rows.
#pragma once

#include <string>

#include "base/text/json.h"
#include "simplexboost/model.h"
#include "simplexboost/quality.h"

namespace simplexboost::cli {

// A line: "out-of-fold error 0.0312 (0.0261 to 0.0373), log loss ..."; nothing without an estimate.
std::string estimate_line(const Model& model);

// What one model in the place of an ensemble costs.
std::string distil_line(const DistilCost& cost);
Json distil_json(const DistilCost& cost);

// Headings and tables: members, the figures of all rows, and those of the worst classes.
std::string members_text(const Model& model);
std::string estimate_text(const Model& model);

// How it is calibrated, and which rows its sets of classes go by; nothing where neither is.
std::string certainty_text(const Model& model);

// null where there are none.
Json members_json(const Model& model);
Json estimate_json(const Model& model);

}  // namespace simplexboost::cli
