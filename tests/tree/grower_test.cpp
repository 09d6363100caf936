// Growth as a whole: what does not change the tree, what ends it, and where rows end up.
#include "tree/grower.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tree/leaf/leaf_assignment.h"
#include "tree/leaf/leaf_rule.h"
#include "tree/naive_splits.h"
#include "tree/random_problem.h"
#include "tree/tree_text.h"

namespace simplexboost {
namespace {

using testing::bin_at;
using testing::large_problem;
using testing::ProblemShape;
using testing::random_problem;
using testing::RandomProblem;
using testing::text_of;

std::string grow_text(const RandomProblem& problem, const GrowthOptions& options,
                      CriterionKind kind, int threads = 1, const Sample& sample = {}) {
  const BinnedDataset data = problem.binned(threads);
  const RowStats stats = stats_for(problem, kind, threads);
  TreeGrower grower(data, {data.rows(), threads}, options);
  const CriterionSpec criterion = stats.criterion(kind, 0.5);
  return text_of(grower.grow(stats, criterion, sample));
}

TEST(Grower, TreeDoesNotDependOnThreads) {
  for (const int max_bins : {256, 1000}) {
    const RandomProblem problem = large_problem(20'000, max_bins);
    for (const CriterionKind kind :
         {CriterionKind::kLeastSquares, CriterionKind::kVote, CriterionKind::kClass,
          CriterionKind::kConfidence, CriterionKind::kShare}) {
      GrowthOptions options;
      options.best_first = true;
      options.max_leaves = 20;
      const std::string one = grow_text(problem, options, kind);
      for (const int threads : {2, 3, 7})
        EXPECT_EQ(grow_text(problem, options, kind, threads), one) << threads << " threads";
    }
  }
}

// Small nodes are cut before their turn where threads have nothing else to do; some in vain.
TEST(Grower, NodesCutBeforeTheirTurnLeaveNoTrace) {
  const RandomProblem problem = large_problem(3'000, 32);
  std::vector<std::uint32_t> sample;
  for (std::uint32_t row = 0; row < 3'000; row += 1 + row % 3) sample.push_back(row);
  for (const CriterionKind kind :
       {CriterionKind::kLeastSquares, CriterionKind::kConfidence, CriterionKind::kVote}) {
    for (const int leaves : {2, 3, 8, 45, 200, 0}) {
      for (const bool best_first : {true, false}) {
        GrowthOptions options;
        options.best_first = best_first;
        options.max_leaves = leaves;
        options.max_depth = leaves == 0 ? 6 : 0;
        options.min_rows = 3;
        for (const bool sampled : {false, true}) {
          const Sample drawn = sampled ? Sample{sample, {}} : Sample{};
          const std::string one = grow_text(problem, options, kind, 1, drawn);
          for (const int threads : {2, 5})
            EXPECT_EQ(grow_text(problem, options, kind, threads, drawn), one)
                << threads << " threads, " << leaves << " leaves";
        }
      }
    }
  }
}

TEST(Grower, TreeDoesNotDependOnHistogramMemory) {
  const RandomProblem problem = large_problem();
  for (const bool best_first : {false, true}) {
    GrowthOptions options;
    options.best_first = best_first;
    options.max_leaves = 40;
    options.max_depth = 8;
    const std::string large = grow_text(problem, options, CriterionKind::kLeastSquares);
    for (const double megabytes : {0.0, 0.3, 1.0, 3.0}) {
      options.histogram_memory = megabytes;
      EXPECT_EQ(grow_text(problem, options, CriterionKind::kLeastSquares), large) << megabytes;
    }
  }
}

TEST(Grower, OneGrowerServesTreesOfDifferentShape) {
  const RandomProblem problem = large_problem(3000);
  const BinnedDataset data = problem.binned();
  GrowthOptions options;
  options.max_depth = 5;
  options.histogram_memory = 2;
  TreeGrower used(data, {data.rows(), 1}, options);
  for (const CriterionKind kind : {CriterionKind::kConfidence, CriterionKind::kVote,
                                   CriterionKind::kConfidence, CriterionKind::kLeastSquares}) {
    const RowStats stats = stats_for(problem, kind);
    const CriterionSpec criterion = stats.criterion(kind, 0);
    TreeGrower fresh(data, {data.rows(), 1}, options);
    EXPECT_EQ(text_of(used.grow(stats, criterion)), text_of(fresh.grow(stats, criterion)));
  }
}

// Rows left out have no say: the tree is the one of data that has only the others.
TEST(Grower, SampledRowsGiveTheTreeOfTheSample) {
  RandomProblem problem = large_problem(4000);
  std::vector<std::uint32_t> sample;
  for (std::uint32_t i = 0; i < 4000; ++i)
    if (i % 3 != 1) sample.push_back(i);
  const BinnedDataset data = problem.binned();
  const RowStats stats = stats_of(problem);
  GrowthOptions options;
  options.max_depth = 4;
  TreeGrower grower(data, {data.rows(), 1}, options);
  const CriterionSpec criterion = stats.criterion(CriterionKind::kLeastSquares, 0);
  const GrownTree& tree = grower.grow(stats, criterion, {sample, {}});

  testing::NaiveOptions naive;
  naive.most_categories = 0;
  const testing::NaiveSplits twin(problem, data, naive, nullptr);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const auto range = tree.rows(tree.nodes[i]);
    const std::vector<std::uint32_t> rows(range.begin(), range.end());
    EXPECT_NEAR(static_cast<double>(tree.nodes[i].current) * stats.score_unit(criterion.kind),
                twin.whole(rows), 1e-4);
    if (tree.nodes[i].leaf()) continue;
    const auto [left, right] = twin.part(tree.nodes[i].split, rows);
    EXPECT_NEAR(static_cast<double>(tree.nodes[i].split.score) * stats.score_unit(criterion.kind),
                twin.score(left, right), 1e-4);
  }
  const auto range = tree.rows(tree.nodes[0]);
  std::vector<std::uint32_t> rows(range.begin(), range.end());
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(rows, sample);
}

TEST(Grower, UsesOnlyTheFeaturesItIsGiven) {
  const RandomProblem problem = large_problem(3000);
  const BinnedDataset data = problem.binned();
  const RowStats stats = stats_of(problem);
  GrowthOptions options;
  options.max_depth = 6;
  TreeGrower grower(data, {data.rows(), 1}, options);
  const std::vector<std::uint32_t> features{0, 3, 4, 15, 16, 17, 36};
  const CriterionSpec criterion = stats.criterion(CriterionKind::kLeastSquares, 0);
  const GrownTree& tree = grower.grow(stats, criterion, {{}, features});
  EXPECT_GT(tree.nodes.size(), 10U);
  for (const GrownNode& node : tree.nodes) {
    if (node.leaf()) continue;
    EXPECT_TRUE(std::binary_search(features.begin(), features.end(), node.split.feature));
  }
}

// Nothing is to be gained where all rows want the same; rounding must not look like gain.
TEST(Grower, LeavesPureNodesWhole) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    ProblemShape shape;
    shape.rows = 500;
    shape.numbers = 100;
    shape.width = 1 + seed % 10;
    RandomProblem problem = random_problem(shape, random);
    for (std::size_t i = 0; i < shape.rows; ++i) {
      problem.weights[i] = static_cast<float>(0.01 + random.uniform());
      for (std::size_t j = 0; j < shape.width; ++j)
        problem.pulls[i * shape.width + j] = problem.weights[i] * static_cast<float>(j + 1);
    }
    const BinnedDataset data = problem.binned();
    const RowStats stats = stats_of(problem);
    GrowthOptions options;
    options.max_depth = 6;
    TreeGrower grower(data, {data.rows(), 1}, options);
    for (const CriterionKind kind : {CriterionKind::kLeastSquares, CriterionKind::kClass}) {
      const CriterionSpec criterion = stats.criterion(kind, 0);
      EXPECT_EQ(grower.grow(stats, criterion).nodes.size(), 1U) << seed;
    }
  }
}

// Weights (or curvatures) fall to nothing where boosting has learnt its rows; trees must not mind.
TEST(Grower, TreeDoesNotDependOnTheScaleOfWeightsAndPulls) {
  const RandomProblem original = large_problem(2000);
  GrowthOptions options;
  options.max_depth = 5;
  for (const CriterionKind kind : {CriterionKind::kLeastSquares, CriterionKind::kConfidence}) {
    std::string first;
    for (const float scale : {1.0F, 0x1p-20F, 0x1p-60F, 0x1p-90F, 0x1p40F, 0x1p90F}) {
      RandomProblem problem = original;
      for (float& pull : problem.pulls) pull *= scale;
      for (float& weight : problem.weights) weight *= scale;
      for (float& size : problem.sizes) size *= scale;
      const BinnedDataset data = problem.binned();
      const RowStats stats = stats_for(problem, kind);
      const CriterionSpec criterion = stats.criterion(kind, 0);
      TreeGrower grower(data, {data.rows(), 1}, options);
      std::string cuts;
      for (const GrownNode& node : grower.grow(stats, criterion).nodes)
        cuts += std::to_string(node.split.feature) + "/" + std::to_string(node.split.bin) + "/" +
                std::to_string(node.end) + " ";
      if (first.empty()) first = cuts;
      EXPECT_EQ(cuts, first) << "times " << scale;
    }
  }
}

TEST(Grower, StopsBelowTheWantedGain) {
  const RandomProblem problem = large_problem(2000);
  const BinnedDataset data = problem.binned();
  const RowStats stats = stats_of(problem);
  const CriterionSpec criterion = stats.criterion(CriterionKind::kLeastSquares, 0);
  const double unit = stats.score_unit(criterion.kind);
  GrowthOptions options;
  options.max_depth = 8;
  options.min_gain = 20;
  TreeGrower grower(data, {data.rows(), 1}, options);
  const GrownTree& tree = grower.grow(stats, criterion);
  ASSERT_GT(tree.nodes.size(), 3U);
  for (const GrownNode& node : tree.nodes) {
    const double gain = static_cast<double>(node.gain) * unit;
    if (!node.leaf()) {
      EXPECT_GT(gain, 20);
    } else if (node.depth < 8) {
      EXPECT_LE(gain, 20);
    }
  }
}

// Values to come may be missing where those of the node were not: they take the larger side.
TEST(Grower, MissingValuesUnseenAtANodeTakeTheSideOfMoreWeight) {
  const RandomProblem problem = large_problem(4000);
  const BinnedDataset data = problem.binned();
  const RowStats stats = stats_of(problem);
  const CriterionSpec criterion = stats.criterion(CriterionKind::kLeastSquares, 0);
  GrowthOptions options;
  options.best_first = true;
  options.max_leaves = 400;
  TreeGrower grower(data, {data.rows(), 1}, options);
  const GrownTree& tree = grower.grow(stats, criterion);
  int unseen = 0;
  for (const GrownNode& node : tree.nodes) {
    if (node.leaf()) continue;
    const FeatureBins& bins = data.bins(node.split.feature);
    const auto rows = tree.rows(node);
    const bool seen = std::any_of(rows.begin(), rows.end(), [&](std::uint32_t row) {
      return bin_at(data, node.split.feature, row) == bins.missing_bin();
    });
    if (seen) continue;
    ++unseen;
    const auto weight = [&](std::int32_t child) {
      return tree.total(static_cast<std::size_t>(child))[kWeightChannel];
    };
    EXPECT_EQ(node.split.missing_left, weight(node.left) > weight(node.right));
  }
  EXPECT_GT(unseen, 50);
}

TEST(Grower, EveryRowIsInTheLeafThatItWalksTo) {
  const RandomProblem problem = large_problem(5000);
  const BinnedDataset data = problem.binned();
  const RowStats stats = stats_of(problem);
  const CriterionSpec criterion = stats.criterion(CriterionKind::kLeastSquares, 0);
  GrowthOptions options;
  options.max_depth = 7;
  TreeGrower grower(data, {data.rows(), 2}, options);
  std::vector<std::uint32_t> sample(2500);
  std::iota(sample.begin(), sample.end(), 1000U);
  for (const auto& rows : {std::vector<std::uint32_t>{}, sample}) {
    const GrownTree& tree = grower.grow(stats, criterion, {rows, {}});
    Leaves leaves;
    set_leaves(tree, stats, LeafRule::kMean, 0, leaves);
    std::vector<std::uint32_t> assigned(data.rows(), ~0U);
    std::vector<std::uint32_t> walked(data.rows());
    assign_leaves(tree, leaves.of_node, data, 2, assigned.data());
    walk_leaves(tree, leaves.of_node, data, 2, walked.data());
    EXPECT_EQ(assigned, walked);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      if (!tree.nodes[i].leaf()) continue;
      for (const std::uint32_t row : tree.rows(tree.nodes[i]))
        EXPECT_EQ(walked[row], static_cast<std::uint32_t>(leaves.of_node[i]));
    }
  }
}

}  // namespace
}  // namespace simplexboost
