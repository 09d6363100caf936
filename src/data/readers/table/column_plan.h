// Which column of a table is the label, the weight, or a feature, and which feature it is: decided
// by names (or positions) alone, before any cell is read. See docs/data.md for the rules.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "simplexboost/read.h"

namespace simplexboost {

struct ColumnPlan {
  std::vector<std::size_t> features;  // the source's column of each feature of the result
  std::vector<std::size_t> labels;    // several: one a class, holding 0 or 1
  std::optional<std::size_t> weight;
  std::vector<std::size_t> categorical;  // stated to be so
};

// `names` are the source's columns; if not `named`, they are positions "1", "2", ...
ColumnPlan plan_columns(const std::string& source, const std::vector<std::string>& names,
                        bool named, const ReadOptions& options, ReadNotes& notes);

// "a, b, c and 12 more"
std::string list_some(const std::vector<std::string>& names);

}  // namespace simplexboost
