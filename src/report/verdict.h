// The figures that say whether a model is any good, beside those of the least that one may ask, and
// what one should be warned of, in plain words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/text/json.h"
#include "metric/confusion.h"
#include "metric/interval.h"
#include "report/facts/baseline.h"
#include "report/facts/calibration_facts.h"
#include "report/facts/row_facts.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"
#include "simplexboost/report.h"

namespace simplexboost {

struct Verdict {
  Interval error;
  Interval log_loss;     // this and the next: NaN where there are no probabilities
  Interval calibration;  // the expected calibration error of what is said
  Interval tree_error;   // NaN where no tree could be grown
  Interval tree_loss;
  Interval shares_error;
  Interval shares_loss;
  Interval lead;  // by how much the tree errs more, on the same rows
  std::size_t wrong_rows = 0;
  std::size_t unknown_rows = 0;
  std::size_t tree_rows = 0;  // that the tree was judged on
};

Verdict judge(const RowFacts& facts, const Dataset& data, const ReportOptions& options);
Json verdict_json(const Verdict& verdict, const RowFacts& facts, const Model& model,
                  const ReportOptions& options);

// What the warnings are drawn from.
struct WarningSources {
  const Model& model;
  const Dataset& data;
  const RowFacts& facts;
  const Verdict& verdict;
  const Tempering& tempering;
  const Confusion& confusion;
  const ReportOptions& options;
};

// [{level: "bad", "care" or "note", text}], the worst first.
Json warnings_json(const WarningSources& from);

}  // namespace simplexboost
