// The shares of the classes where a model predicts, as --priors says them.
#pragma once

#include <string>
#include <vector>

#include "simplexboost/model.h"
#include "simplexboost/read.h"

namespace simplexboost::cli {

// `text`: "estimate", from the rows of the file at `data` themselves; "a=0.2,b=0.8", all classes;
// or a file of such lines. Throws UsageError or DataError with the place.
std::vector<double> read_priors(const std::string& text, const Model& model,
                                const std::string& data, const ReadOptions& read,
                                const PredictOptions& options);

}  // namespace simplexboost::cli
