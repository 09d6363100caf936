// Margins: by how much the score of a row's own class exceeds the best of the others
// (jmlr2019 (9)). Positive where the row is classified right.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "loss/loss_block.h"

namespace simplexboost {

// margins[i] = u_c - max_{l != c} u_l; 0 where there is only one class, NaN where the label is
// negative: a class that the scores know nothing of.
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

// The margins of a data set in a few numbers.
struct MarginSummary {
  double least = 0;  // the margin of the predictor on the set, jmlr2019 (14)
  double lower_quartile = 0;
  double median = 0;
  double upper_quartile = 0;
  double most = 0;
  double mean = 0;
  std::vector<std::size_t> histogram;  // rows in equal bins of [least, most]

  bool operator==(const MarginSummary&) const = default;
};

// Of at least one margin, all finite. The q-quantile is the value of rank ceil(q n).
MarginSummary summarize_margins(std::vector<float> margins, std::size_t bins = 20);

}  // namespace simplexboost
