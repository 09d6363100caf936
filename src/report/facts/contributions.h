// What each feature adds in rows that are hard: Shapley values.
#pragma once

#include <cstddef>
#include <vector>

#include "base/text/json.h"
#include "report/facts/row_facts.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"
#include "simplexboost/report.h"

namespace simplexboost {

// Adds to rows of row_json() what each feature adds to the lead of what is said over the label:
// "why": [{feature, by}], the largest first. Nothing where the model cannot be explained, or is not
// the one that judges.
void add_contributions(const Model& model, const Dataset& data, const RowFacts& facts,
                       const std::vector<std::size_t>& rows, const ReportOptions& options,
                       Json& list);

}  // namespace simplexboost
