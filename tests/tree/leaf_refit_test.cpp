#include "tree/leaf_refit.h"

#include <gtest/gtest.h>

#include "tree/random_problem.h"

namespace simplexboost {
namespace {

using testing::ProblemShape;
using testing::random_problem;
using testing::RandomProblem;

struct WideTarget {
  FitTarget target;
  std::vector<float> pulls;
  std::vector<float> curvature;

  WideTarget(const RandomProblem& problem, std::size_t width, Random& random)
      : target(problem.target()) {
    for (std::size_t i = 0; i < problem.data.rows * width; ++i) {
      pulls.push_back(static_cast<float>(random.normal()));
      curvature.push_back(static_cast<float>(random.uniform()));
    }
    target.value_width = width;
    target.value_pulls = pulls.data();
    target.value_curvature = curvature.data();
    target.value_damping = 1.25F;
  }
};

TEST(LeafRefit, ValuesAreThoseOfPlainSumsForAnyNumberOfThreads) {
  constexpr double kL2 = 0.5;
  constexpr std::size_t kWidth = 9;
  for (const std::size_t rows : {40U, 5000U}) {
    Random random(rows);
    ProblemShape shape;
    shape.rows = rows;
    shape.numbers = 50;
    const RandomProblem problem = random_problem(shape, random);
    const WideTarget wide(problem, kWidth, random);
    const BinnedDataset binned = problem.binned();
    GrowthOptions growth;
    growth.max_depth = 3;
    TreeGrower grower(binned, growth);
    const RowStats stats = testing::stats_of(problem);
    const GrownTree& tree =
        grower.grow(stats, stats.criterion(CriterionKind::kLeastSquares, kL2), {}, {});
    Leaves leaves;
    set_leaves(tree, stats, LeafRule::kMean, kL2, leaves);
    refit_leaves(tree, wide.target, kL2, 1, leaves);
    ASSERT_EQ(leaves.values.size(), leaves.count * kWidth);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      if (!tree.nodes[i].leaf()) continue;
      const auto leaf = static_cast<std::size_t>(leaves.of_node[i]);
      for (std::size_t j = 0; j < kWidth; ++j) {
        double g = 0;
        double h = 0;
        for (const std::uint32_t row : tree.rows(tree.nodes[i])) {
          g += static_cast<double>(wide.pulls[row * kWidth + j]);
          h += static_cast<double>(wide.curvature[row * kWidth + j]);
        }
        EXPECT_NEAR(leaves.values[leaf * kWidth + j], g / (1.25 * h + kL2), 1e-5);
      }
    }
    const std::vector<float> one_thread = leaves.values;
    for (const int threads : {2, 3, 8}) {
      refit_leaves(tree, wide.target, kL2, threads, leaves);
      EXPECT_EQ(leaves.values, one_thread) << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace simplexboost
