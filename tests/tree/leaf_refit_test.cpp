#include "tree/leaf/leaf_refit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "tree/grower.h"
#include "tree/leaf/leaf_assignment.h"
#include "tree/random_problem.h"

namespace simplexboost {
namespace {

using testing::ProblemShape;
using testing::random_problem;
using testing::RandomProblem;

constexpr float kDamping = 1.25F;
constexpr float kFactor = 0.5F;

// What leaves shall say: with curvatures, or with those that the pulls tell.
struct WideTarget {
  std::size_t width;
  std::vector<float> pulls;
  std::vector<float> curvature;
  const float* weights = nullptr;
  bool from_pulls = false;

  WideTarget(std::size_t rows, std::size_t wide, Random& random) : width(wide) {
    for (std::size_t i = 0; i < rows * width; ++i) {
      pulls.push_back(static_cast<float>(random.normal()));
      curvature.push_back(static_cast<float>(random.uniform()));
    }
  }

  KeptLeafTarget kept() const {
    return {width, pulls.data(), from_pulls ? nullptr : curvature.data(), kDamping, kFactor};
  }
};

// The same, a few rows at a time, without arrays of all.
class ComputedTarget : public LeafTarget {
 public:
  explicit ComputedTarget(const WideTarget& wide) : wide_(wide) {
    width_ = wide.width;
    damping_ = kDamping;
    curvature_factor_ = kFactor;
  }

  bool curvature_from_pulls() const override { return wide_.from_pulls; }
  std::size_t most_rows() const override { return 7; }
  LeafNumbers numbers(std::span<const std::uint32_t> rows,
                      AlignedVector<float>& scratch) const override {
    EXPECT_LE(rows.size(), most_rows());
    const std::size_t size = rows.size() * width();
    scratch.resize(2 * size);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = 0; j < width(); ++j) {
        scratch[i * width() + j] = wide_.pulls[rows[i] * width() + j];
        scratch[size + i * width() + j] = wide_.curvature[rows[i] * width() + j];
      }
    return {scratch.data(), wide_.from_pulls ? nullptr : scratch.data() + size, false};
  }

 private:
  const WideTarget& wide_;
};

// Beside plain sums.
void expect_plain_sums(const GrownTree& tree, const Leaves& leaves, const WideTarget& target,
                       double l2) {
  const std::size_t width = target.width;
  ASSERT_EQ(leaves.values.size(), leaves.count * width);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (!tree.nodes[i].leaf()) continue;
    const auto leaf = static_cast<std::size_t>(leaves.of_node[i]);
    for (std::size_t j = 0; j < width; ++j) {
      double g = 0;
      double h = 0;
      for (const std::uint32_t row : tree.rows(tree.nodes[i])) {
        const double weight = target.weights ? target.weights[row] : 1;
        const double pull = target.pulls[row * width + j];
        const double size = std::fabs(pull);
        g += weight * pull;
        h += weight *
             (target.from_pulls ? size * (1 - kFactor * size) : target.curvature[row * width + j]);
      }
      EXPECT_NEAR(leaves.values[leaf * width + j], g / (kDamping * h + l2), 1e-5);
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
        WideTarget wide(rows, width, random);
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
        for (const bool from_pulls : {false, true}) {
          if (from_pulls) {
            for (float& pull : wide.pulls) pull = std::fmod(pull, 1.0F);
            wide.from_pulls = true;
            wide.weights = wide.curvature.data();
          }
          const KeptLeafTarget kept = wide.kept();
          refit_leaves(tree, leaf_of_row, {kept, wide.weights, kL2}, {rows, 1}, leaves);
          expect_plain_sums(tree, leaves, wide, kL2);
          const std::vector<float> one_thread = leaves.values;
          for (const int threads : {2, 3, 8}) {
            refit_leaves(tree, leaf_of_row, {kept, wide.weights, kL2}, {rows, threads}, leaves);
            EXPECT_EQ(leaves.values, one_thread) << threads << " threads";
          }
          const ComputedTarget computed(wide);
          refit_leaves(tree, leaf_of_row, {computed, wide.weights, kL2}, {rows, 2}, leaves);
          EXPECT_EQ(leaves.values, one_thread) << "computed";
        }
      }
    }
  }
}

}  // namespace
}  // namespace simplexboost
