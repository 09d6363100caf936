// Trees of pairs of classes against the equations of Sun, Reid, Zhou (2012), written down.
#include "learner/pair_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "learner/packed_hypothesis.h"

namespace simplexboost {
namespace {

using testing::packed_values;

// Rows of classes that the first feature tells apart, with probabilities at random.
struct PairProblem {
  std::size_t classes;
  Dataset data;
  std::vector<std::vector<double>> p = {};
  std::vector<std::size_t> own = {};
  std::vector<float> pulls = {}, curvature = {}, weights = {};
  std::vector<FeatureBins> bins = {};

  PairProblem(std::size_t rows, std::size_t of_classes, std::uint64_t seed) : classes(of_classes) {
    Random random(seed);
    std::vector<double> x(rows);
    std::vector<double> other(rows);
    data.rows = rows;
    for (std::size_t i = 0; i < rows; ++i) {
      own.push_back(random.below(classes));
      weights.push_back(static_cast<float>(1 + random.below(3)));
      x[i] = static_cast<double>(own[i] % 2) + 0.25 * static_cast<double>(random.below(3));
      other[i] = static_cast<double>(random.below(5));
      double sum = 0;
      std::vector<double>& share = p.emplace_back(classes);
      for (double& one : share) sum += one = 0.05 + random.uniform();
      for (std::size_t k = 0; k < classes; ++k) {
        share[k] /= sum;
        const auto w = static_cast<double>(weights[i]);
        pulls.push_back(static_cast<float>(w * ((own[i] == k ? 1 : 0) - share[k])));
        curvature.push_back(static_cast<float>(w * share[k] * (1 - share[k])));
      }
    }
    data.columns.push_back(Column::numeric("x", x));
    data.columns.push_back(Column::numeric("other", other));
    bins = choose_bins(data, {256, 1});
  }

  RoundTarget target() const {
    return {{data.rows, classes, pulls.data(), weights.data(), curvature.data()}};
  }

  struct Move {
    std::size_t up, down;
    double value;
  };
  Move best_move(const std::vector<std::size_t>& rows, double l2) const {
    std::vector<double> g(classes);
    std::vector<std::vector<double>> h(classes, std::vector<double>(classes));
    for (const std::size_t i : rows)
      for (std::size_t a = 0; a < classes; ++a) {
        g[a] += static_cast<double>(pulls[i * classes + a]);
        for (std::size_t b = 0; b < classes; ++b)
          h[a][b] += static_cast<double>(weights[i]) * ((a == b ? p[i][a] : 0) - p[i][a] * p[i][b]);
      }
    Move best{static_cast<std::size_t>(std::max_element(g.begin(), g.end()) - g.begin()), 0, 0};
    double gain = 0;
    for (std::size_t s = 0; s < classes; ++s) {
      const double slope = g[best.up] - g[s];
      const double bend = h[best.up][best.up] + h[s][s] - 2 * h[best.up][s] + l2;
      if (s == best.up || slope * slope / bend <= gain) continue;
      gain = slope * slope / bend;
      best = {best.up, s, slope / bend};
    }
    return best;
  }
};

GrowthOptions depth(int depth) {
  GrowthOptions growth;
  growth.max_depth = depth;
  return growth;
}

// The rows of each leaf: those that share a vector.
std::vector<std::vector<std::size_t>> leaf_rows(const RowVectors& said, std::size_t rows) {
  std::vector<std::vector<std::size_t>> leaves;
  for (std::size_t i = 0; i < rows; ++i) {
    leaves.resize(std::max<std::size_t>(leaves.size(), said.index[i] + 1));
    leaves[said.index[i]].push_back(i);
  }
  return leaves;
}

TEST(PairTree, EveryLeafMovesItsBestPairByItsNewtonStep) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const PairProblem problem(60 + seed, 3 + seed % 4, seed);
    const BinnedDataset binned(problem.data, problem.bins, 1);
    const double l2 = seed % 3 == 0 ? 0 : 0.5;
    PairTreeLearner learner(binned, {problem.data.rows, 1}, l2,
                            depth(static_cast<int>(1 + seed % 3)));
    const RowVectors said = learner.fit(problem.target(), {});
    const auto leaves = leaf_rows(said, problem.data.rows);
    EXPECT_GE(leaves.size(), 2U);
    for (const std::vector<std::size_t>& rows : leaves) {
      const PairProblem::Move move = problem.best_move(rows, l2);
      const float* values = said.of(rows[0]);
      for (std::size_t k = 0; k < problem.classes; ++k) {
        const double expected = k == move.up ? move.value : k == move.down ? -move.value : 0;
        EXPECT_NEAR(values[k], expected, 2e-3 * std::fabs(move.value)) << "class " << k;
      }
    }
  }
}

TEST(PairTree, ChildrenMayMoveOtherPairsThanTheirParent) {
  // Classes 0 and 2 are on the left, 1 and 3 on the right: no pair serves both sides.
  const PairProblem problem(400, 4, 3);
  const BinnedDataset binned(problem.data, problem.bins, 1);
  PairTreeLearner learner(binned, {problem.data.rows, 1}, 0, depth(1));
  const RowVectors said = learner.fit(problem.target(), {});
  const auto leaves = leaf_rows(said, problem.data.rows);
  ASSERT_EQ(leaves.size(), 2U);
  const auto up = [&](std::size_t leaf) {
    const float* values = said.of(leaves[leaf][0]);
    return std::max_element(values, values + 4) - values;
  };
  EXPECT_NE(up(0) % 2, up(1) % 2);
}

TEST(PairTree, LeafLimitBoundsBothSidesOfThePair) {
  const PairProblem problem(80, 3, 1);
  const BinnedDataset binned(problem.data, problem.bins, 1);
  PairTreeLearner learner(binned, {problem.data.rows, 1}, 0, depth(2));
  RoundTarget target = problem.target();
  target.leaf_limit = 0.125F;
  const RowVectors said = learner.fit(target, {});
  for (std::size_t i = 0; i < problem.data.rows; ++i) {
    const float* values = said.of(i);
    EXPECT_EQ(*std::max_element(values, values + 3), 0.125F);
    EXPECT_EQ(*std::min_element(values, values + 3), -0.125F);
  }
}

TEST(PairTree, TheForestSaysWhatTheLearnerSays) {
  const PairProblem problem(120, 5, 2);
  const PairProblem others(90, 5, 7);
  const BinnedDataset binned(problem.data, problem.bins, 1);
  const BinnedDataset elsewhere(others.data, problem.bins, 1);
  PairTreeLearner learner(binned, {problem.data.rows, 2}, 0, depth(3));
  const RowVectors said = learner.fit(problem.target(), {});
  const Matrix packed = packed_values(learner, problem.data, 5, 0.5);
  for (std::size_t i = 0; i < problem.data.rows; ++i)
    for (std::size_t k = 0; k < 5; ++k)
      EXPECT_EQ(packed.values[i * 5 + k], 0.5F * said.of(i)[k]) << "row " << i;
  const RowVectors applied = learner.apply({others.data, elsewhere});
  const Matrix there = packed_values(learner, others.data, 5);
  for (std::size_t i = 0; i < others.data.rows; ++i)
    for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(there.values[i * 5 + k], applied.of(i)[k]);
}

}  // namespace
}  // namespace simplexboost
