// Threads that share the rows of nodes grow the trees of one thread.
#include <gtest/gtest.h>

#include <tuple>

#include "tree/grower.h"
#include "tree/histogram/part_histograms.h"
#include "tree/random_problem.h"
#include "tree/tree_text.h"

namespace simplexboost {
namespace {

using testing::ProblemShape;
using testing::random_problem;
using testing::RandomProblem;
using testing::text_of;

RandomProblem tall_problem(std::size_t rows, std::size_t features) {
  Random random(3);
  ProblemShape shape;
  shape.rows = rows;
  shape.features = features;
  shape.numbers = 20;
  shape.categories = 9;
  return random_problem(shape, random);
}

TEST(SharedRows, AreSharedWhereFeaturesAreFewAndRowsMany) {
  const BinnedDataset few = tall_problem(200, 5).binned();
  const BinnedDataset many = tall_problem(200, 100).binned();
  FeatureBlocks blocks;
  blocks.plan(few, {}, 8);
  EXPECT_EQ(blocks.row_parts(1'000'000, 1), 1U);
  EXPECT_EQ(blocks.row_parts(1'000'000, 4), 8U);
  EXPECT_EQ(blocks.row_parts(1'000'000, 16), 32U);
  // Eight rows to a bin are worth a part of their own.
  EXPECT_EQ(blocks.row_parts(std::size_t{3} * 8 * blocks.bins() / 5 + 1, 16), 3U);
  EXPECT_EQ(blocks.row_parts(10, 16), 1U);
  blocks.plan(many, {}, 8);
  ASSERT_GE(blocks.size(), 8U);
  EXPECT_EQ(blocks.row_parts(1'000'000, 2), 1U);
  EXPECT_EQ(blocks.row_parts(1'000'000, 16), 32U);
}

TEST(SharedRows, GiveTheTreesOfOneThread) {
  const RandomProblem problem = tall_problem(60'000, 6);
  const BinnedDataset data = problem.binned();
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < 60'000; row += 1 + row % 2) rows.push_back(row);
  const std::vector<std::uint32_t> features = {0, 2, 5};
  for (const CriterionKind kind :
       {CriterionKind::kLeastSquares, CriterionKind::kVote, CriterionKind::kConfidence}) {
    const RowStats stats = stats_for(problem, kind);
    const CriterionSpec criterion = stats.criterion(kind, 0.5);
    for (const double memory : {0.0, 1e-3})  // the latter: no histogram is kept
      for (const Sample& sample : {Sample{}, Sample{rows, features, true}}) {
        GrowthOptions options;
        options.best_first = memory > 0;
        options.max_leaves = 24;
        options.histogram_memory = memory;
        TreeGrower alone(data, {data.rows(), 1}, options);
        const std::string expected = text_of(alone.grow(stats, criterion, sample));
        for (const int threads : {2, 3, 8, 16}) {
          TreeGrower grower(data, {data.rows(), threads}, options);
          EXPECT_EQ(text_of(grower.grow(stats, criterion, sample)), expected) << threads;
          // A second tree in the same buffers.
          EXPECT_EQ(text_of(grower.grow(stats, criterion, sample)), expected) << threads;
        }
      }
  }
}

TEST(SharedRows, GiveTheCutsOfOneThread) {
  const RandomProblem problem = tall_problem(30'000, 4);
  const BinnedDataset data = problem.binned();
  const RowStats stats = stats_of(problem);
  const auto cuts = [&](int threads) {
    TreeGrower grower(data, {data.rows(), threads}, GrowthOptions{});
    std::vector<std::tuple<std::uint32_t, std::uint32_t, float, bool>> found;
    for (const ChannelCut& cut : grower.best_cuts(stats))
      found.emplace_back(cut.split.feature, cut.split.bin, cut.split.score, cut.right_up);
    return found;
  };
  for (const int threads : {2, 3, 16}) EXPECT_EQ(cuts(threads), cuts(1));
}

}  // namespace
}  // namespace simplexboost
