// The share of a data set that one of several processes reads: a range of the bytes of plain files,
// cut between rows, or whole gzipped ones; no process reads all of them.
#pragma once

#include <string>
#include <vector>

#include "base/communicator.h"
#include "simplexboost/read.h"

namespace simplexboost {

// The files that a pattern names ("part-*.csv"), by name, in the order of their bytes; a path that
// is there, or has none of *?[, itself. Throws IoError where there is none.
std::vector<std::string> matching_files(const std::string& pattern);

// Whether read_dataset() would read another thing.
bool is_pattern(const std::string& path);

// The rows of all files that `pattern` names, one file behind the other, are dealt to the ranks in
// this order; a rank's share may be empty. With {rank} in it each rank has files of its own, and
// the rows are in the order of the ranks. All ranks call it together, and get the columns and codes
// that one process would give all the rows. Throws as read_dataset() does, on the rank whose rows
// are bad; the others do not hear of that from here.
Dataset read_share(const std::string& pattern, const ReadOptions& options, Communicator& ranks,
                   ReadNotes* notes = nullptr);

}  // namespace simplexboost
