// Features kept as what is not their default give the trees of dense ones.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "data/default_bins.h"
#include "tree/classes/class_tree.h"
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

constexpr CriterionKind kSparseKinds[] = {CriterionKind::kLeastSquares, CriterionKind::kVote,
                                          CriterionKind::kClass,        CriterionKind::kSubset,
                                          CriterionKind::kConfidence,   CriterionKind::kShare};

// Most values are zero.
void thin_out(Dataset& data, Random& random) {
  for (Column& column : data.columns) {
    if (column.schema.type == FeatureType::kCategorical || random.below(4) == 0) continue;
    std::vector<double> values(data.rows);
    column.copy(0, data.rows, values.data());
    for (double& value : values)
      if (random.below(8) != 0) value = 0;
    column = Column::numeric(column.schema.name, values);
  }
}

// The same numbers, stored where they are not zero.
Dataset stored_sparsely(const Dataset& data) {
  Dataset result = data;
  for (Column& column : result.columns) {
    if (column.schema.type == FeatureType::kCategorical) continue;
    std::vector<double> values(data.rows);
    column.copy(0, data.rows, values.data());
    std::vector<std::uint32_t> rows;
    std::vector<double> kept;
    for (std::uint32_t i = 0; i < data.rows; ++i) {
      if (values[i] == 0) continue;
      rows.push_back(i);
      kept.push_back(values[i]);
    }
    column = Column::sparse_numeric(column.schema.name, rows, kept);
  }
  return result;
}

RandomProblem thin_problem(std::size_t rows, std::size_t features, std::uint64_t seed,
                           std::size_t width = 5, int max_bins = 256) {
  Random random(seed);
  ProblemShape shape;
  shape.rows = rows;
  shape.features = features;
  shape.width = width;
  shape.numbers = max_bins > 256 ? 700 : 9;
  shape.categories = 6;
  shape.max_bins = max_bins;
  RandomProblem problem = random_problem(shape, random);
  thin_out(problem.data, random);
  problem.bins = choose_bins(problem.data, {max_bins, 1});
  forget_defaults(problem.bins);
  return problem;
}

// Any bin will do as the default of some features, and any number of them make a group.
RandomProblem with_defaults(RandomProblem problem, std::uint64_t seed) {
  Random random(seed);
  for (FeatureBins& bins : problem.bins) {
    if (random.below(4) == 0) continue;
    bins.default_bin = static_cast<std::uint32_t>(
        random.below(2) == 0 ? random.below(bins.histogram_bins()) : bins.bin_of(0));
    bins.others = static_cast<float>(random.uniform() * 4);
  }
  if (random.below(2) == 0) problem.data = stored_sparsely(problem.data);
  return problem;
}

std::vector<GrowthOptions> sparse_ways() {
  std::vector<GrowthOptions> ways(5);
  ways[0].best_first = true;
  ways[0].max_leaves = 25;
  ways[1].max_depth = 6;
  ways[1].min_rows = 20;
  ways[1].min_weight = 3;
  ways[2].max_depth = 7;
  ways[2].histogram_memory = 1e-3;  // none is kept
  ways[2].categorical = CategoricalSplits::kOneAgainstRest;
  ways[3].best_first = true;
  ways[3].max_leaves = 12;
  ways[3].node_features = 5;
  ways[4].max_depth = 5;
  ways[4].drawn_thresholds = true;
  return ways;
}

TEST(SparseBins, HaveTheBinsOfDenseOnes) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const int max_bins : {256, 1000}) {
      const RandomProblem problem = thin_problem(200, 23, seed, 3, max_bins);
      const BinnedDataset dense = problem.binned();
      const BinnedDataset sparse = with_defaults(problem, seed).binned(2);
      EXPECT_GT(sparse.sparse_bins().size(), 0U);
      EXPECT_EQ(sparse.dense_columns() + sparse.sparse_bins().size(), 23U);
      for (std::size_t f = 0; f < 23; ++f)
        for (std::size_t i = 0; i < 200; ++i) ASSERT_EQ(sparse.bin(f, i), dense.bin(f, i)) << f;
    }
}

TEST(SparseBins, TakeValuesThatTrainingNeverSaw) {
  RandomProblem problem = thin_problem(100, 12, 1);
  for (FeatureBins& bins : problem.bins) bins.has_missing = false;
  for (Column& column : problem.data.columns)
    if (column.schema.type == FeatureType::kNumeric)
      column = Column::numeric(column.schema.name, std::vector<double>(100, std::nan("")));
  const BinnedDataset dense = problem.binned();
  for (FeatureBins& bins : problem.bins) bins.default_bin = 0;
  const BinnedDataset sparse = problem.binned();
  for (std::size_t f = 0; f < 12; ++f)
    for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(sparse.bin(f, i), dense.bin(f, i)) << f;
}

TEST(SparseGrowth, GivesTheTreesOfDenseFeatures) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < 1500; row += 1 + row % 3) rows.push_back(row);
  const std::vector<std::uint32_t> features = {0, 1, 4, 9, 10, 20, 33, 34};
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const RandomProblem problem = thin_problem(1500, 40, seed, seed % 2 == 0 ? 5 : 1);
    const RandomProblem with = with_defaults(problem, seed);
    const BinnedDataset dense = problem.binned();
    const BinnedDataset sparse = with.binned();
    for (const CriterionKind kind : kSparseKinds) {
      const RowStats stats = stats_for(problem, kind);
      const CriterionSpec criterion = stats.criterion(kind, 0.5);
      for (const GrowthOptions& options : sparse_ways())
        for (const Sample& sample : {Sample{}, Sample{rows, features, true}}) {
          const SplitChance chance{seed, seed == 3 ? 0.5F : 0.0F};
          TreeGrower expected_grower(dense, {dense.rows(), 1}, options);
          const std::string expected =
              text_of(expected_grower.grow(stats, criterion, sample, chance));
          for (const int threads : {1, 3}) {
            const RowSpace space(dense.rows(), threads);
            TreeGrower fused(sparse, space, options);
            EXPECT_EQ(text_of(fused.grow(stats, criterion, sample, chance)), expected);
            // A second tree in the same buffers.
            EXPECT_EQ(text_of(fused.grow(stats, criterion, sample, chance)), expected);
            TreeGrower whole(sparse, options, std::make_unique<WholeSource>(sparse, space));
            EXPECT_EQ(text_of(whole.grow(stats, criterion, sample, chance)), expected);
          }
        }
    }
  }
}

// Threads share the rows where blocks of features are few, and statistics take several passes.
TEST(SparseGrowth, IsTheSameWhereThreadsShareRowsAndStatisticsAreWide) {
  for (const std::size_t width : {3U, 90U}) {
    const RandomProblem problem = thin_problem(40'000 / width, 9, 7, width);
    const BinnedDataset dense = problem.binned();
    const BinnedDataset sparse = with_defaults(problem, 2).binned();
    const RowStats stats = stats_of(problem);
    const CriterionSpec criterion = stats.criterion(CriterionKind::kLeastSquares, 0.5);
    GrowthOptions options;
    options.best_first = true;
    options.max_leaves = 20;
    TreeGrower expected(dense, {dense.rows(), 1}, options);
    const std::string text = text_of(expected.grow(stats, criterion));
    for (const int threads : {1, 2, 16}) {
      TreeGrower grower(sparse, {dense.rows(), threads}, options);
      EXPECT_EQ(text_of(grower.grow(stats, criterion)), text) << threads;
    }
  }
}

TEST(SparseGrowth, FindsTheSameVotesOfEachOutput) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const RandomProblem problem = thin_problem(300, 20, seed);
    const BinnedDataset dense = problem.binned();
    const BinnedDataset sparse = with_defaults(problem, seed).binned();
    const RowStats stats = stats_of(problem);
    const auto text = [](const std::vector<ChannelCut>& cuts) {
      std::string all;
      for (const ChannelCut& cut : cuts)
        all += std::to_string(cut.split.feature) + " " + std::to_string(cut.split.bin) +
               (cut.split.missing_left ? " left " : " ") + (cut.right_up ? "up " : "down ") +
               std::to_string(cut.split.score) + "\n";
      return all;
    };
    const GrowthOptions options;
    TreeGrower expected(dense, {300, 1}, options);
    const RowSpace space(300, 2);
    TreeGrower fused(sparse, space, options);
    TreeGrower whole(sparse, options, std::make_unique<WholeSource>(sparse, space));
    const std::string cuts = text(expected.best_cuts(stats));
    EXPECT_EQ(text(fused.best_cuts(stats)), cuts);
    EXPECT_EQ(text(whole.best_cuts(stats)), cuts);
  }
}

TEST(SparseGrowth, IsTheSameOnRanks) {
  const RandomProblem problem = thin_problem(900, 40, 5);
  const BinnedDataset dense = problem.binned();
  const RandomProblem with = with_defaults(problem, 5);
  for (const GrowthOptions& options : sparse_ways()) {
    const RowStats stats = stats_of(problem);
    TreeGrower alone(dense, {900, 1}, options);
    const std::string expected =
        text_of_nodes(alone.grow(stats, stats.criterion(CriterionKind::kLeastSquares, 0.5)));
    on_clusters(900, [&](const RowSpace& space) {
      const RandomProblem share = share_of(with, space);
      const BinnedDataset data = share.binned();
      const RowStats own = stats_of(share, space);
      TreeGrower grower(data, space, options);
      EXPECT_EQ(text_of_nodes(grower.grow(own, own.criterion(CriterionKind::kLeastSquares, 0.5))),
                expected);
    });
  }
}

TEST(SparseGrowth, GivesTheClassTreesOfDenseFeatures) {
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    for (const int max_bins : {256, 1000}) {
      const RandomProblem problem = thin_problem(400, 30, seed, 3, max_bins);
      const BinnedDataset dense = problem.binned();
      const BinnedDataset sparse = with_defaults(problem, seed).binned();
      Labels labels;
      labels.classes = {"a", "b", "c"};
      for (std::size_t i = 0; i < 400; ++i)
        labels.codes.push_back(static_cast<std::int32_t>(dense.bin(0, i) % 2 + i % 2));
      const auto text = [&](const BinnedDataset& data) {
        const BinColumns columns(data, 2);
        std::vector<ClassItem> items;
        for (std::uint32_t i = 0; i < 400; i += 1 + i % 2) items.push_back({i, 0, 1});
        std::vector<std::uint32_t> leaves(400, 0);
        ClassTreeOptions options;
        options.features = 5;
        options.drawn = seed % 3 == 0;
        Random random(seed);
        const ClassTree tree = grow_class_tree(columns, labels, options, items, {}, random, leaves);
        std::string all;
        for (const ClassNode& node : tree.nodes)
          all += std::to_string(node.split.feature) + " " + std::to_string(node.split.bin) + " " +
                 std::to_string(node.gain) + "\n";
        for (std::size_t i = 0; i < 400; ++i)
          all += std::to_string(leaves[i]) + " " + std::to_string(leaf_of(tree, data, i)) + " ";
        return all;
      };
      EXPECT_EQ(text(sparse), text(dense));
    }
}

}  // namespace
}  // namespace simplexboost
