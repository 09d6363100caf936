// Stumps for many outputs at once, against a stump for each on its own.
#include <gtest/gtest.h>

#include <cmath>

#include "learner/tree_learner.h"
#include "tree/random_problem.h"

namespace simplexboost {
namespace {

using testing::ProblemShape;
using testing::random_problem;
using testing::RandomProblem;

RandomProblem problem_of(const ProblemShape& shape, std::uint64_t seed) {
  Random random(seed);
  return random_problem(shape, random);
}

TreeLearnerOptions stump_options(int min_rows, double min_weight) {
  TreeLearnerOptions options{CriterionKind::kVote, LeafRule::kVote, 0, {}};
  options.growth.max_depth = 1;
  options.growth.min_rows = min_rows;
  options.growth.min_weight = min_weight;
  return options;
}

TEST(FitVotes, EveryOutputHasTheEdgeOfItsOwnStump) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    ProblemShape shape;
    shape.rows = 20 + seed % 60;
    shape.features = 1 + seed % 7;
    shape.width = 1 + seed % 9;
    shape.numbers = 2 + seed % 20;
    shape.categories = seed % 3 == 0 ? 5 : 0;
    if (seed % 5 == 0) shape.max_bins = 8;
    const RandomProblem problem = problem_of(shape, seed);
    const BinnedDataset binned = problem.binned();
    const TreeLearnerOptions options =
        stump_options(seed % 4 == 0 ? 3 : 1, seed % 6 == 0 ? 2.0 : 0);
    TreeLearner together(binned, {binned.rows(), 2}, options);
    TreeLearner alone(binned, {binned.rows(), 1}, options);
    Sample sample;
    std::vector<std::uint32_t> rows;
    for (std::uint32_t i = 0; i < shape.rows; ++i)
      if (i % 3 != 0) rows.push_back(i);
    const std::vector<std::uint32_t> features{0};
    if (seed % 7 == 0) sample.rows = rows;
    if (seed % 11 == 0) sample.features = features;
    std::vector<std::int8_t> votes;
    ASSERT_TRUE(together.fit_votes(problem.target(), sample, votes));
    ASSERT_EQ(votes.size(), shape.rows * shape.width);
    for (std::size_t j = 0; j < shape.width; ++j) {
      std::vector<float> column(shape.rows);
      for (std::size_t i = 0; i < shape.rows; ++i) column[i] = problem.pulls[i * shape.width + j];
      const RoundTarget target{{shape.rows, 1, column.data(), problem.weights.data(), nullptr}};
      const RowVectors stump = alone.fit(target, sample);
      double found = 0;
      double expected = 0;
      double size = 0;
      for (std::size_t i = 0; i < shape.rows; ++i) {
        if (!sample.rows.empty() && i % 3 == 0) continue;
        const auto pull = static_cast<double>(column[i]);
        found += votes[i * shape.width + j] * pull;
        expected += static_cast<double>(*stump.of(i)) * pull;
        size += std::fabs(pull);
      }
      EXPECT_NEAR(found, expected, 1e-5 * size) << "seed " << seed << " output " << j;
    }
  }
}

TEST(FitVotes, SameForAnyNumberOfThreads) {
  ProblemShape shape;
  shape.rows = 3000;
  shape.features = 40;
  shape.width = 12;
  const RandomProblem problem = problem_of(shape, 1);
  const BinnedDataset binned = problem.binned();
  std::vector<std::int8_t> one;
  std::vector<std::int8_t> three;
  TreeLearner(binned, {binned.rows(), 1}, stump_options(1, 0)).fit_votes(problem.target(), {}, one);
  TreeLearner(binned, {binned.rows(), 3}, stump_options(1, 0))
      .fit_votes(problem.target(), {}, three);
  EXPECT_EQ(one, three);
}

TEST(FitVotes, OnlyOfStumps) {
  const RandomProblem problem = problem_of({}, 2);
  const BinnedDataset binned = problem.binned();
  TreeLearnerOptions options = stump_options(1, 0);
  options.growth.max_depth = 2;
  std::vector<std::int8_t> votes;
  EXPECT_FALSE(
      TreeLearner(binned, {binned.rows(), 1}, options).fit_votes(problem.target(), {}, votes));
}

}  // namespace
}  // namespace simplexboost
