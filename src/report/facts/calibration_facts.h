// Whether the probabilities mean what they say, as they are and tempered.
#pragma once

#include "base/text/json.h"
#include "report/facts/row_facts.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

struct Tempering {
  bool known = false;
  double scale = 1;         // on the logarithms of the probabilities: below 1, they are too sure
  double error[2] = {};     // calibration error before and after
  double log_loss[2] = {};  // likewise
  Json facts = nullptr;     // the bins of both, for the page
};

// Of a sample of rows: the factor is fitted on one half of them and judged on the other, in turn.
Tempering temper(const RowSample& sample, const RowFacts& facts, const Dataset& data, int threads);

// Bins of the classes whose probabilities are the furthest from what comes true: [{k, bins}].
Json worst_calibrated(const RowFacts& facts);

}  // namespace simplexboost
