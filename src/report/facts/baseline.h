// What the least would do on the same rows: a single tree, the shares of the classes, and one
// feature alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "report/facts/row_facts.h"
#include "simplexboost/dataset.h"
#include "simplexboost/report.h"

namespace simplexboost {

// What one says of the rows that it was not made from.
struct Judged {
  std::vector<std::uint8_t> seen;  // 1: it was judged on the row
  std::vector<std::uint8_t> wrong;
  std::vector<float> loss;  // of the logarithm, at most that of LogLoss::kFloor
};

// A tree grown out on the training rows where there are any, else on four fifths of the rows,
// judged on the others, in turn; on some of them where there are many. `features`: only these;
// empty: all.
Judged judge_tree(const RowFacts& facts, const Dataset& data, const ReportOptions& options,
                  const std::vector<std::size_t>& features = {});

// The shares of the classes in the training rows, or in the rows themselves.
Judged judge_shares(const RowFacts& facts, const ReportOptions& options);

}  // namespace simplexboost
