// Parts of a data set's rows: a random share set aside for validation, and blocks for work that
// goes through the rows piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simplexboost/dataset.h"

namespace simplexboost {

struct RowSplit {
  std::vector<std::uint32_t> train;  // both ascending
  std::vector<std::uint32_t> valid;
};

// Sets aside round(fraction * rows) rows, each class in its share (single-label data); no class
// loses its last training row. The same seed gives the same split.
RowSplit stratified_split(const Labels& labels, std::size_t rows, double fraction,
                          std::uint64_t seed);

// The features of rows [begin, end) as a view that copies no dense column; labels and weights are
// left out.
Dataset slice_features(const Dataset& data, std::size_t begin, std::size_t end);

}  // namespace simplexboost
