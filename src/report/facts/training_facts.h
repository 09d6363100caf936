// How the model came to be: curves of its training, margins of its rows beside those of the rows at
// hand, and the card that says what it was made of.
#pragma once

#include "base/text/json.h"
#include "report/facts/row_facts.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"
#include "simplexboost/report.h"

namespace simplexboost {

// {rounds: [...], series: [{name, values}], kept, logged}: the figures of the log at up to some
// hundred rounds, and the error of the rows at hand after some of them.
Json curve_facts(const Model& model, const Dataset& data, const ReportOptions& options);

// {here: {low, high, counts}, train: the same or null}.
Json margin_facts(const Model& model, const RowFacts& facts, const ReportOptions& options);

Json card_facts(const Model& model, const Dataset& data, const ReportOptions& options);

}  // namespace simplexboost
