// Margins: by how much the score of a row's own class exceeds the best of the others
// (jmlr2019 (9)). Positive where the row is classified right.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/row_space.h"
#include "loss/loss_block.h"
#include "simplexboost/training_log.h"

namespace simplexboost {

// margins[i] = u_c - max_{l != c} u_l, finite; 0 where there is only one class, NaN where the label
// is negative: a class that the scores know nothing of.
void row_margins(const LossBlock& block, float* margins);

// Counts over equal bins of [low, high]; values beyond an end count in the bin at that end.
struct Histogram {
  double low = 0;
  double high = 0;
  std::vector<std::size_t> counts;
};

// Over the range of the values themselves. No values: all counts 0.
Histogram histogram(std::span<const float> values, std::size_t bins);
// Over a range given, low < high: for histograms that shall be compared.
Histogram histogram(std::span<const float> values, std::size_t bins, double low, double high);

// Of the margins of all rows of the space, at least one, all finite; `here`: those of the rows that
// are here. The q-quantile is the value of rank ceil(q n).
MarginSummary summarize_margins(std::span<const float> here, const RowSpace& space,
                                std::size_t bins = 20);

}  // namespace simplexboost
