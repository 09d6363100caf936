// From a table as read to a data set: types of columns, categories, labels and weights, or all of
// these as a model's schema says. The rules are in docs/data.md.
#pragma once

#include "data/column_plan.h"
#include "data/raw_table.h"
#include "simplexboost/read.h"

namespace simplexboost {

// What the reader should take from each of `columns` columns.
std::vector<CellUse> cell_uses(const ColumnPlan& plan, std::size_t columns, const Schema* schema);

Dataset assemble(RawTable table, const ColumnPlan& plan, const ReadOptions& options,
                 ReadNotes& notes);

}  // namespace simplexboost
