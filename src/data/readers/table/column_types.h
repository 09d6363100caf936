// Which columns of a table are numbers and which are categories, by what they hold: by the cells of
// all rows, of which this process may have a share only.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/communicator.h"
#include "data/readers/table/column_plan.h"
#include "data/readers/table/raw_table.h"
#include "simplexboost/error.h"

namespace simplexboost {

using RowPlace = std::function<Place(std::size_t row)>;

// The processes that share the rows of a table; all read their shares together.
struct TableShare {
  Communicator& ranks = no_others();
  bool stand_in = false;  // the rows here are another's, which tell the columns and do not count
};

// Of the features those that hold numbers here and text elsewhere, and so are categories: they are
// to be read again, as text. Throws DataError, on the rank whose row is the first such one, where
// text among numbers is taken for a mistake; there the others throw CommunicationError.
std::vector<std::size_t> numbers_of_text_columns(const RawTable& table, const ColumnPlan& plan,
                                                 const TableShare& share);

// Throws DataError at the first text that is no number, if there is one; `why` says why it must be
// one, and what to do.
void require_numbers(const TextColumn& text, const RowPlace& place, const std::string& why);

}  // namespace simplexboost
