// What is made of bins that are in a file is in one, too.
#include <gtest/gtest.h>

#include "data/default_bins.h"
#include "tree/classes/bin_columns.h"
#include "tree/parted_problem.h"
#include "tree/random_problem.h"

namespace simplexboost {
namespace {

using testing::RandomProblem;

// Dense features and sparse ones.
RandomProblem mixed_problem(std::size_t rows) {
  Random random(4);
  testing::ProblemShape shape;
  shape.rows = rows;
  shape.features = 12;
  RandomProblem problem = testing::random_problem(shape, random);
  for (std::size_t f = 0; f < shape.features; f += 2) {
    problem.bins[f].default_bin = 0;
    problem.bins[f].others = 0.5F;
  }
  return problem;
}

BinnedDataset in_file(const RandomProblem& problem) {
  return {problem.data, problem.bins, 1, StoreChoice{::testing::TempDir()}};
}

TEST(BinsInFile, AreGatheredIntoAFile) {
  const RandomProblem problem = mixed_problem(2000);
  const BinnedDataset expected = problem.binned();
  EXPECT_FALSE(expected.in_file());
  testing::on_clusters(2000, [&](const RowSpace& space) {
    const BinnedDataset share = in_file(testing::share_of(problem, space));
    const BinnedDataset all(share, space.ranks());
    EXPECT_TRUE(all.in_file());
    ASSERT_EQ(all.rows(), 2000U);
    for (std::size_t f = 0; f < all.features(); ++f)
      for (std::size_t i = 0; i < all.rows(); i += 11)
        ASSERT_EQ(all.bin(f, i), expected.bin(f, i)) << f;
  });
}

TEST(BinsInFile, AreThereColumnByColumnToo) {
  const RandomProblem problem = mixed_problem(500);
  const BinnedDataset data = in_file(problem);
  const BinColumns columns(data, 2);
  EXPECT_TRUE(columns.in_file());
  EXPECT_FALSE(BinColumns(problem.binned(), 1).in_file());
  BinColumns::Room room;
  for (std::uint32_t f = 0; f < data.features(); ++f) {
    const auto values = columns.values<std::uint8_t>(f, room);
    for (std::size_t i = 0; i < data.rows(); ++i) ASSERT_EQ(values[i], data.bin(f, i)) << f;
  }
}

}  // namespace
}  // namespace simplexboost
