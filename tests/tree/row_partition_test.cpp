// Parting the rows of nodes: complete, stable, the same for any number of threads.
#include "tree/row_partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tree/random_problem.h"

namespace simplexboost {
namespace {

using testing::bin_at;
using testing::ProblemShape;
using testing::random_problem;

BinnedDataset data_of(std::size_t rows) {
  Random random(9);
  ProblemShape shape;
  shape.rows = rows;
  shape.features = 20;
  shape.numbers = 50;
  shape.categories = 40;
  return random_problem(shape, random).binned();
}

Split numeric_split(std::uint32_t feature, std::uint32_t bin, bool missing_left) {
  Split split;
  split.feature = feature;
  split.bin = bin;
  split.missing_left = missing_left;
  return split;
}

Split category_split(std::uint32_t feature, const std::vector<std::uint32_t>& set) {
  Split split;
  split.feature = feature;
  split.categorical = true;
  split.left_set = set;
  return split;
}

// Several splits on top of each other, beside a naive partition of the same rows.
void expect_stable_parts(std::size_t rows, int threads, std::span<const std::uint32_t> sample) {
  const BinnedDataset data = data_of(rows);
  RowPartition partition;
  partition.reset(rows, {sample, {}}, threads);
  std::vector<std::uint32_t> naive(sample.begin(), sample.end());
  if (naive.empty()) {
    naive.resize(rows);
    std::iota(naive.begin(), naive.end(), 0U);
  }
  EXPECT_EQ(partition.complete(), sample.empty());
  EXPECT_EQ(partition.identity(), sample.empty());
  std::uint32_t begin = 0;
  auto end = static_cast<std::uint32_t>(naive.size());
  for (const Split& split :
       {numeric_split(0, 25, true), category_split(1, {0x5555AAAA, 0x3C}),
        numeric_split(18, 10, false), numeric_split(2, 49, false), category_split(3, {1, 0})}) {
    const SplitPredicate goes_left(split, data.bins(split.feature));
    const auto middle = std::stable_partition(
        naive.begin() + begin, naive.begin() + end,
        [&](std::uint32_t row) { return goes_left(bin_at(data, split.feature, row)); });
    const std::uint32_t found = partition.split(begin, end, split, data, threads);
    ASSERT_EQ(found, middle - naive.begin());
    const auto all = partition.range(0, static_cast<std::uint32_t>(naive.size()));
    ASSERT_TRUE(std::equal(all.begin(), all.end(), naive.begin()));
    EXPECT_FALSE(partition.identity());
    (found - begin > end - found ? end : begin) = found;  // on with the larger part
  }
}

TEST(RowPartition, IsStableInOneBlock) { expect_stable_parts(1000, 1, {}); }

TEST(RowPartition, IsStableOverManyBlocksAndThreads) {
  for (const int threads : {1, 2, 3, 7}) expect_stable_parts(130'001, threads, {});
}

TEST(RowPartition, PartsSampledRows) {
  std::vector<std::uint32_t> sample;
  for (std::uint32_t row = 5; row < 120'000; row += 2) sample.push_back(row);
  expect_stable_parts(120'000, 2, sample);
}

TEST(RowPartition, PartsOneRow) { expect_stable_parts(1, 2, {}); }

}  // namespace
}  // namespace simplexboost
