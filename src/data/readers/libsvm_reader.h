// Reads LIBSVM (svmlight) files: `label[,label...] index:value ... # comment`. Features are sparse
// columns named by their indices, which count from 1, or from 0 if index 0 occurs.
#pragma once

#include <string_view>

#include "data/readers/text_input.h"
#include "simplexboost/read.h"

namespace simplexboost {

// What a line holds beside blanks and comments: nothing if it is no row.
std::string_view libsvm_row(std::string_view line);

Dataset read_libsvm(const TextInput& input, const ReadOptions& options, ReadNotes& notes);

}  // namespace simplexboost
