// Reads LIBSVM (svmlight) files: `label[,label...] index:value ... # comment`. Features are sparse
// columns named by their indices, which count from 1, or from 0 if index 0 occurs.
#pragma once

#include "data/readers/text_input.h"
#include "simplexboost/read.h"

namespace simplexboost {

Dataset read_libsvm(const TextInput& input, const ReadOptions& options, ReadNotes& notes);

}  // namespace simplexboost
