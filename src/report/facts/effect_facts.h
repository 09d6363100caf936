// What the most important features do to what the model says of the classes.
#pragma once

#include "base/text/json.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"
#include "simplexboost/report.h"

namespace simplexboost {

// [{name, grid, categorical, classes, values}]: partial dependence (Friedman 2001), the mean
// probability (or score) of a class where some of the rows all have the same value of a feature; of
// many classes those that change most. `grid` holds numbers or names of categories.
Json effect_facts(const Model& model, const Dataset& data, const ReportOptions& options);

}  // namespace simplexboost
