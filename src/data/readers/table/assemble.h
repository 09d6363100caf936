// From a table as read, its columns numbers or text as they are to be, to a data set: categories,
// labels and weights, or all of these as a model's schema says. The rules are in docs/data.md.
#pragma once

#include <string>
#include <vector>

#include "data/readers/table/column_plan.h"
#include "data/readers/table/column_types.h"
#include "data/readers/table/raw_table.h"
#include "simplexboost/read.h"

namespace simplexboost {

// A column of weights: DataError at the first that is no number of 0 or more. `where` says whose
// they are.
std::vector<double> read_weights(RawColumn& raw, const RowPlace& place, const std::string& where);

// What the reader should take from each of `columns` columns.
std::vector<CellUse> cell_uses(const ColumnPlan& plan, std::size_t columns, const Schema* schema);

Dataset assemble(RawTable table, const ColumnPlan& plan, const ReadOptions& options,
                 ReadNotes& notes);

}  // namespace simplexboost
