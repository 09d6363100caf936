// Shares of a data set: where rows are parted among ranks, each rank has some of them, in the order
// of the ranks. Before training, rows move so that every share begins where a RowSpace wants it.
#pragma once

#include <cstddef>

#include "base/communicator.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

// Where a rank's rows are among those of all ranks. All ranks call it together.
struct SharePlace {
  std::size_t first = 0;
  std::size_t all = 0;
};
SharePlace place_of_share(std::size_t rows, Communicator& ranks);

// The rows of one set after those of another, which has the same schema.
Dataset join_rows(const Dataset& first, const Dataset& second);

// Brings each block of RowSpace::kShareRows rows, in the order of all rows, to the rank that has
// the first of them. All ranks call it together.
Dataset align_rows(const Dataset& share, Communicator& ranks);

// The rows of all shares on every rank. Their codes must mean the same (agree_on_codes).
Dataset gather_rows(const Dataset& share, Communicator& ranks);
// The same on the first rank; no rows on the others.
Dataset bring_rows_to_first(const Dataset& share, Communicator& ranks);

// The labels of all shares on every rank, as gather_rows() has them.
Labels gather_labels(const Labels& share, Communicator& ranks);

// As split_rows() of all ranks' rows: each gets its share of both parts.
DatasetSplit split_share(const Dataset& share, double fraction, std::uint64_t seed,
                         Communicator& ranks);

}  // namespace simplexboost
