#include "tree/leaf_refit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "tree/grower.h"
#include "tree/leaf_assignment.h"
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

  // The same without arrays; `bent`: nobody asks for the curvature.
  FitTarget computed(bool bent) const {
    FitTarget result = target;
    result.value_pulls = result.value_curvature = nullptr;
    result.value_bent = bent;
    result.value_rows = [this, bent](std::span<const std::uint32_t> rows, float* g, float* h) {
      const std::size_t width = target.value_width;
      EXPECT_EQ(h == nullptr, bent);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        std::copy_n(pulls.begin() + static_cast<std::ptrdiff_t>(rows[i] * width), width,
                    g + i * width);
        if (!bent)
          std::copy_n(curvature.begin() + static_cast<std::ptrdiff_t>(rows[i] * width), width,
                      h + i * width);
      }
    };
    return result;
  }
};

// Beside plain sums, with the curvature of the target or that of its pulls.
void expect_plain_sums(const GrownTree& tree, const Leaves& leaves, const FitTarget& target,
                       double l2) {
  const std::size_t width = target.value_width;
  ASSERT_EQ(leaves.values.size(), leaves.count * width);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (!tree.nodes[i].leaf()) continue;
    const auto leaf = static_cast<std::size_t>(leaves.of_node[i]);
    for (std::size_t j = 0; j < width; ++j) {
      double g = 0;
      double h = 0;
      for (const std::uint32_t row : tree.rows(tree.nodes[i])) {
        const double weight = target.value_weights ? target.value_weights[row] : 1;
        const double pull = target.value_pulls[row * width + j];
        const double size = std::fabs(pull);
        g += weight * pull;
        h += weight * (target.value_curvature ? target.value_curvature[row * width + j]
                                              : size * (1 - target.value_bend * size));
      }
      EXPECT_NEAR(leaves.values[leaf * width + j], g / (target.value_damping * h + l2), 1e-5);
    }
  }
}

TEST(LeafRefit, ValuesAreThoseOfPlainSumsForAnyNumberOfThreads) {
  constexpr double kL2 = 0.5;
  for (const std::size_t rows : {40U, 5000U}) {
    // The last is too wide for sums of all leaves in one place.
    for (const std::size_t width : {1U, 3U, 9U, 26U, 1100U}) {
      for (const bool sampled : {false, true}) {
        if (width > 100 && rows > 100) continue;
        Random random(rows + width);
        ProblemShape shape;
        shape.rows = rows;
        shape.numbers = 50;
        const RandomProblem problem = random_problem(shape, random);
        WideTarget wide(problem, width, random);
        const BinnedDataset binned = problem.binned();
        GrowthOptions growth;
        growth.max_depth = 3;
        TreeGrower grower(binned, {binned.rows(), 1}, growth);
        const RowStats stats = testing::stats_of(problem);
        std::vector<std::uint32_t> sample;
        for (std::uint32_t row = 0; sampled && row < rows; row += 2) sample.push_back(row);
        const GrownTree& tree =
            grower.grow(stats, stats.criterion(CriterionKind::kLeastSquares, kL2), {sample, {}});
        Leaves leaves;
        set_leaves(tree, stats, LeafRule::kMean, kL2, leaves);
        std::vector<std::uint32_t> leaf_of_row(rows);
        assign_leaves(tree, leaves.of_node, binned, 1, leaf_of_row.data());
        for (const bool bent : {false, true}) {
          if (bent) {
            for (float& pull : wide.pulls) pull = std::fmod(pull, 1.0F);
            wide.target.value_curvature = nullptr;
            wide.target.value_bend = 0.5F;
            wide.target.value_weights = wide.curvature.data();
          }
          refit_leaves(tree, leaf_of_row, wide.target, kL2, {rows, 1}, leaves);
          expect_plain_sums(tree, leaves, wide.target, kL2);
          const std::vector<float> one_thread = leaves.values;
          for (const int threads : {2, 3, 8}) {
            refit_leaves(tree, leaf_of_row, wide.target, kL2, {rows, threads}, leaves);
            EXPECT_EQ(leaves.values, one_thread) << threads << " threads";
          }
          refit_leaves(tree, leaf_of_row, wide.computed(bent), kL2, {rows, 2}, leaves);
          expect_plain_sums(tree, leaves, wide.target, kL2);
        }
      }
    }
  }
}

}  // namespace
}  // namespace simplexboost
