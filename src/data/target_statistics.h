// Columns of many categories as numbers: for each class the share of the rows of a category that
// have it, drawn to that of all rows where the category is rare ("target statistics").
//
// A row's own label must not be in its number, or trees would read labels off it. So training rows
// stand in a random order, and each sees the labels of those before it alone, as in CatBoost
// (Prokhorenkova et al. 2018, 3.2); rows to come see all of them. (A statistic that leaves out the
// row's own fold instead is the larger the smaller that fold's labels are, and trees find out.) The
// order is that of blocks, to which rows are dealt by a hash of the seed and of their global
// number: it depends neither on threads nor on ranks, and ranks exchange counts block by block.
//
// A cut of such a number is a set of categories, which is what models hold (tree/pack.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/row_space.h"
#include "data/binning.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

struct StatisticsOptions {
  std::size_t above = 0;  // columns of more values than this have statistics
  int max_bins = 256;     // of a statistic, with the missing bin
  std::uint64_t seed = 0;
};

struct TargetStatistics {
  // Those of the columns, of which the ones with statistics have one bin left, then those of the
  // statistics.
  std::vector<FeatureBins> bins;
  std::vector<std::vector<std::uint16_t>> of_rows;  // of each statistic: the bins of the rows here

  bool empty() const { return of_rows.empty(); }
};

// With a statistic for each class, or the second of two; of more than 16 classes for 16 random
// halves of them. Labels of several classes a row have none.
TargetStatistics make_target_statistics(const Dataset& data, std::vector<FeatureBins> bins,
                                        const StatisticsOptions& options, const RowSpace& space);

// Whether it gives some of them.
bool has_target_statistics(const Dataset& data, const StatisticsOptions& options);

}  // namespace simplexboost
