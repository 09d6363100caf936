// Options shared by the verbs that predict with a model.
#pragma once

#include "cli/arguments.h"
#include "simplexboost/model.h"

namespace simplexboost::cli {

void declare_predict_options(Arguments& arguments, PredictOptions& options);

// Throws UsageError on values that make no sense for this model.
void check_predict_options(const PredictOptions& options, const Model& model);

}  // namespace simplexboost::cli
