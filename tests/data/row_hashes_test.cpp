#include "data/rows/row_hashes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace simplexboost {
namespace {

const double kNothing = std::nan("");

Dataset table(std::vector<Column> columns, std::size_t rows) {
  Dataset data;
  data.rows = rows;
  data.columns = std::move(columns);
  return data;
}

TEST(RowHashes, EqualRowsAreAlikeAndOthersAreNot) {
  const Dataset data = table({Column::numeric("x", {1, 1, 2, kNothing, -kNothing, 0, -0.0, 3}),
                              Column::numeric("y", {2, 2, 1, 5, 5, 0, 0, 0}),
                              Column::categorical("c", {0, 0, 0, -1, -1, 1, 1, 1}, {"a", "b"})},
                             8);
  EXPECT_EQ(share_of_repeats(data), 0.75);
  const std::vector<std::uint64_t> hashes = row_hashes(data);
  EXPECT_EQ(hashes[3], hashes[4]);
  EXPECT_EQ(hashes[5], hashes[6]);
  EXPECT_NE(hashes[0], hashes[2]);
  EXPECT_NE(hashes[5], hashes[7]);
}

TEST(RowHashes, SparseColumnsAreLikeDenseOnes) {
  const Dataset dense =
      table({Column::numeric("x", {0, 4, 0, 0}), Column::numeric("y", {1, 0, 0, 1})}, 4);
  const Dataset sparse = table(
      {Column::sparse_numeric("x", {1}, {4}), Column::sparse_numeric("y", {0, 3}, {1, 1})}, 4);
  EXPECT_EQ(row_hashes(dense), row_hashes(sparse));
  EXPECT_EQ(share_of_repeats(sparse), 0.5);
}

}  // namespace
}  // namespace simplexboost
