// Folds of cross-validation: every row in one of k parts of about the same size, each class spread
// over them in its share, and rows that belong together never parted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/rows/row_split.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

inline constexpr int kMostFolds = 1000;

struct FoldOptions {
  int folds = 5;           // 2 to kMostFolds
  std::uint64_t seed = 0;  // a repeat of a cross-validation is another seed
  bool stratify = true;
  // A number a row, rows of the same number in the same fold; empty: each row for itself.
  std::span<const std::uint32_t> groups;
};

// The fold of each row, from 0. Rows of several labels are spread by the rarest of them. With
// groups the classes are spread as well as whole groups allow, the largest placed first. Throws
// DataError where there are fewer rows (or groups) than folds. The same seed gives the same folds.
std::vector<std::uint16_t> make_folds(const Labels& labels, std::size_t rows,
                                      const FoldOptions& options);

// The rows of one fold held out (`valid`), all others in `train`; both ascending.
RowSplit hold_out_fold(std::span<const std::uint16_t> fold_of_row, int fold);

// Training, validation and test rows, each ascending: the test rows are those of one fold, the
// validation rows those of the next (the last is followed by the first). With five folds this is
// the 3/1/1 protocol of kdd2014.
struct ThreeWaySplit {
  std::vector<std::uint32_t> train;
  std::vector<std::uint32_t> valid;
  std::vector<std::uint32_t> test;
};
ThreeWaySplit hold_out_two_folds(std::span<const std::uint16_t> fold_of_row, int folds, int fold);

// Small numbers for the values of a column, equal ones alike: groups for FoldOptions. A missing
// value is a group of its own for each row: nothing says that such rows belong together.
std::vector<std::uint32_t> group_numbers(const Column& column, std::size_t rows);

}  // namespace simplexboost
