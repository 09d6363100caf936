// Codes of categories and classes that mean the same on all ranks, each of which knows only the
// names in its own share of the rows.
#pragma once

#include "base/communicator.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

// All ranks call it together. Where their names differ, the codes become those that one process
// would give that has all the rows. A column without any value on a rank is of the type that it has
// on the others. Throws DataError, on all ranks, where their columns, or the kinds of their labels,
// do not agree, or where some have weights and others none.
//
// With `known`, the codes are those of that schema, and names that it does not have are unknown
// classes or missing values: for validation rows.
void agree_on_codes(Dataset& data, Communicator& ranks, const Schema* known = nullptr);

}  // namespace simplexboost
