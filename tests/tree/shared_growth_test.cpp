// Features that share bytes give the trees of those that do not.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "data/default_bins.h"
#include "tree/grower.h"
#include "tree/histogram/whole_source.h"
#include "tree/parted_problem.h"
#include "tree/random_problem.h"
#include "tree/tree_text.h"

namespace simplexboost {
namespace {

using testing::on_clusters;
using testing::ProblemShape;
using testing::random_problem;
using testing::RandomProblem;
using testing::share_of;
using testing::text_of;
using testing::text_of_nodes;

// Some features have two values, some more, and every seventh too many to share.
RandomProblem problem_of_few(std::size_t rows, std::size_t features, std::uint64_t seed,
                             std::size_t width) {
  Random random(seed);
  ProblemShape shape;
  shape.rows = rows;
  shape.features = features;
  shape.width = width;
  shape.categories = 5;
  shape.numbers = 12;
  RandomProblem problem = random_problem(shape, random);
  for (std::size_t f = 0; f < features; f += 2) {
    if (f % 4 != 0 && f % 7 != 0) continue;
    std::vector<double> values(rows);
    for (double& value : values)
      value = static_cast<double>(random.below(f % 7 == 0 ? std::uint64_t{200} : 2));
    problem.data.columns[f] = Column::numeric("x" + std::to_string(f), values);
  }
  problem.bins = choose_bins(problem.data, {256, 1});
  forget_defaults(problem.bins);
  return problem;
}

// And columns that exclude each other, each of which is 0, 1, 2 or missing.
RandomProblem with_exclusive(RandomProblem problem, std::size_t columns, Random& random) {
  const std::size_t rows = problem.data.rows;
  std::vector<std::vector<double>> values(columns, std::vector<double>(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    const auto value = static_cast<double>(random.below(12));
    values[random.below(columns)][i] = value == 0 ? std::nan("") : value < 9 ? 1 : 2;
  }
  std::vector<Column>& all = problem.data.columns;
  for (std::size_t k = 0; k < columns; ++k)  // here and there among the others
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(random.below(all.size() + 1)),
               Column::numeric("one" + std::to_string(k), values[k]));
  problem.bins = choose_bins(problem.data, {256, 1});
  forget_defaults(problem.bins);
  return problem;
}

RandomProblem with_defaults(RandomProblem problem) {
  choose_defaults(problem.data, problem.bins, 1);
  return problem;
}

std::vector<GrowthOptions> ways() {
  std::vector<GrowthOptions> all(4);
  all[0].best_first = true;
  all[0].max_leaves = 25;
  all[1].max_depth = 6;
  all[1].min_rows = 20;
  all[1].categorical = CategoricalSplits::kOneAgainstRest;
  all[2].max_depth = 5;
  all[2].histogram_memory = 1e-3;  // none is kept
  all[2].node_features = 5;
  all[3].max_depth = 5;
  all[3].drawn_thresholds = true;
  return all;
}

TEST(SharedGrowth, GivesTheTreesOfFeaturesOfTheirOwn) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < 4000; row += 1 + row % 3) rows.push_back(row);
  const std::vector<std::uint32_t> features = {0, 1, 4, 9, 10, 20, 33, 34};
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const RandomProblem problem = problem_of_few(4000, 40, seed, seed % 2 == 0 ? 5 : 1);
    const BinnedDataset own = problem.binned();
    const BinnedDataset shared = problem.binned(1, ByteUse::kShared);
    ASSERT_FALSE(shared.shared_bytes().bytes().empty());
    ASSERT_GT(shared.dense_columns(), shared.shared_bytes().bytes().size());  // some stand alone
    const RowStats stats = stats_of(problem);
    const CriterionSpec criterion = stats.criterion(CriterionKind::kLeastSquares, 0.5);
    for (const GrowthOptions& options : ways())
      for (const Sample& sample : {Sample{}, Sample{rows, features, true}}) {
        const SplitChance chance{seed, seed == 3 ? 0.5F : 0.0F};
        TreeGrower expected_grower(own, {own.rows(), 1}, options);
        const std::string expected =
            text_of(expected_grower.grow(stats, criterion, sample, chance));
        for (const int threads : {1, 3}) {
          const RowSpace space(own.rows(), threads);
          TreeGrower fused(shared, space, options);
          EXPECT_EQ(text_of(fused.grow(stats, criterion, sample, chance)), expected);
          // A second tree in the same buffers.
          EXPECT_EQ(text_of(fused.grow(stats, criterion, sample, chance)), expected);
          TreeGrower whole(shared, options, std::make_unique<WholeSource>(shared, space));
          EXPECT_EQ(text_of(whole.grow(stats, criterion, sample, chance)), expected);
        }
      }
  }
}

// Threads share the rows, and statistics take several passes.
TEST(SharedGrowth, IsTheSameWhereThreadsShareRowsAndStatisticsAreWide) {
  for (const std::size_t width : {3U, 90U}) {
    const RandomProblem problem = problem_of_few(120'000 / width, 9, 7, width);
    const BinnedDataset own = problem.binned();
    const BinnedDataset shared = problem.binned(2, ByteUse::kShared);
    const RowStats stats = stats_of(problem);
    const CriterionSpec criterion = stats.criterion(CriterionKind::kLeastSquares, 0.5);
    GrowthOptions options;
    options.best_first = true;
    options.max_leaves = 20;
    TreeGrower expected(own, {own.rows(), 1}, options);
    const std::string text = text_of(expected.grow(stats, criterion));
    for (const int threads : {1, 2, 16}) {
      TreeGrower grower(shared, {own.rows(), threads}, options);
      EXPECT_EQ(text_of(grower.grow(stats, criterion)), text) << threads;
    }
  }
}

TEST(SharedGrowth, GivesTheTreesOfFeaturesThatDoNotExcludeEachOther) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < 4000; row += 1 + row % 3) rows.push_back(row);
  const std::vector<std::uint32_t> features = {0, 3, 4, 6, 9, 12, 15, 16, 25};
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Random random(seed);
    const RandomProblem problem =
        with_exclusive(problem_of_few(4000, 12, seed, seed == 0 ? 1 : 5), 14, random);
    const BinnedDataset own = problem.binned();
    const BinnedDataset shared = with_defaults(problem).binned(2, ByteUse::kShared);
    ASSERT_TRUE(shared.shared_bytes().bytes().back().exclusive);
    ASSERT_GE(shared.shared_bytes().bytes().back().features.size(), 14U);
    for (std::size_t f = 0; f < own.features(); ++f)
      for (std::size_t i = 0; i < 4000; i += 3) ASSERT_EQ(shared.bin(f, i), own.bin(f, i)) << f;
    const RowStats stats = stats_of(problem);
    const CriterionSpec criterion = stats.criterion(CriterionKind::kLeastSquares, 0.5);
    for (const GrowthOptions& options : ways())
      for (const Sample& sample : {Sample{}, Sample{rows, features, true}}) {
        const SplitChance chance{seed, seed == 2 ? 0.5F : 0.0F};
        TreeGrower expected_grower(own, {own.rows(), 1}, options);
        const std::string expected =
            text_of(expected_grower.grow(stats, criterion, sample, chance));
        for (const int threads : {1, 3, 16}) {
          const RowSpace space(own.rows(), threads);
          TreeGrower fused(shared, space, options);
          EXPECT_EQ(text_of(fused.grow(stats, criterion, sample, chance)), expected);
          TreeGrower whole(shared, options, std::make_unique<WholeSource>(shared, space));
          EXPECT_EQ(text_of(whole.grow(stats, criterion, sample, chance)), expected);
        }
      }
  }
}

TEST(SharedGrowth, IsTheSameOnRanks) {
  const RandomProblem problem = problem_of_few(3000, 40, 5, 3);
  const BinnedDataset own = problem.binned();
  for (const GrowthOptions& options : ways()) {
    const RowStats stats = stats_of(problem);
    TreeGrower alone(own, {3000, 1}, options);
    const std::string expected =
        text_of_nodes(alone.grow(stats, stats.criterion(CriterionKind::kLeastSquares, 0.5)));
    on_clusters(3000, [&](const RowSpace& space) {
      const RandomProblem share = share_of(problem, space);
      const BinnedDataset data = share.binned(1, ByteUse::kDigits);
      const RowStats here = stats_of(share, space);
      TreeGrower grower(data, space, options);
      EXPECT_EQ(text_of_nodes(grower.grow(here, here.criterion(CriterionKind::kLeastSquares, 0.5))),
                expected);
      TreeGrower whole(data, options, std::make_unique<WholeSource>(data, space));
      EXPECT_EQ(text_of_nodes(whole.grow(here, here.criterion(CriterionKind::kLeastSquares, 0.5))),
                expected);
    });
  }
}

}  // namespace
}  // namespace simplexboost
