// Turns columns into small integers: at most 256 bins a feature by default, so that training reads
// a byte where the data has a number. Thresholds are midpoints between values that occur, so a
// split found in bins means the same for numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/communicator.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

// The bins of one feature.
//
//   numeric:      bin b holds thresholds[b - 1] < x <= thresholds[b]
//   categorical:  bin of code c is category_bin[c]; rare categories may share the last one
//   missing:      bin value_bins, for NaN and for categories that training never saw
//   default:      bin of nearly all rows, if any: only the other rows are kept (sparse_bins.h)
//   statistic:    of a column of categories (target_statistics.h): bin of code c is
//                 category_bin[c], and bins are in order, as those of numbers are
struct FeatureBins {
  static constexpr std::uint32_t kOwnColumn = 0xffff'ffff;
  static constexpr std::uint32_t kNoDefault = 0xffff'ffff;

  FeatureType type = FeatureType::kNumeric;
  std::vector<double> thresholds;           // numeric: value_bins - 1 of them, ascending
  std::vector<std::uint16_t> category_bin;  // categorical, statistic: one for each code
  std::uint32_t value_bins = 1;
  bool has_missing = false;  // in the training data; else the missing bin has no statistics
  std::uint32_t column = kOwnColumn;  // statistic: the column that it is of
  std::uint32_t unseen_bin = 0;       // statistic: of categories that training never saw
  std::uint32_t default_bin = kNoDefault;
  float others = 0;  // the share of the training rows, of all ranks, that are not in it

  bool statistic() const { return column != kOwnColumn; }
  bool sparse() const { return default_bin != kNoDefault; }

  std::uint32_t missing_bin() const { return value_bins; }
  std::uint32_t histogram_bins() const { return value_bins + (has_missing ? 1 : 0); }
  std::uint32_t bin_of(double value) const;
};

struct BinningOptions {
  int max_bins = 256;  // with the missing bin; 2 .. 65536
  int threads = 1;
};

// Up to this many values quantiles are exact; beyond it a sample of about half as many to as many
// serves (docs/scale.md#bins), and features of few distinct values are still binned exactly.
inline constexpr std::size_t kBinningSample = 200'000;

// Chooses the bins of every column. `weights` (empty: all 1) count in the quantiles; rows of
// weight zero are not seen. Where `data` is a rank's share of the rows, all ranks call it together,
// with the same columns and categories, and get the bins of all rows.
std::vector<FeatureBins> choose_bins(const Dataset& data, const BinningOptions& options,
                                     Communicator& ranks = no_others());

}  // namespace simplexboost
