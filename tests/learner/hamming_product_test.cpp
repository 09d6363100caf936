#include "learner/hamming_product.h"

#include <gtest/gtest.h>

#include <cmath>

#include "learner/packed_hypothesis.h"
#include "learner/tree_learner.h"
#include "simplexboost/train.h"
#include "tree/random_problem.h"

namespace simplexboost {
namespace {

using testing::packed_values;
using testing::ProblemShape;
using testing::random_problem;
using testing::RandomProblem;

GrowthOptions stump_growth() {
  GrowthOptions growth;
  growth.max_depth = 1;
  return growth;
}

double edge_of(const RowVectors& hypothesis, const RandomProblem& problem) {
  double edge = 0;
  for (std::size_t i = 0; i < problem.data.rows; ++i)
    for (std::size_t l = 0; l < problem.width; ++l)
      edge += static_cast<double>(hypothesis.of(i)[l]) *
              static_cast<double>(problem.pulls[i * problem.width + l]);
  return edge;
}

ProblemShape shape_of(std::uint64_t seed) {
  ProblemShape shape;
  shape.rows = 1 + seed % 60;
  shape.width = 1 + seed % 5;
  shape.categories = seed % 3 == 0 ? 5 : 0;
  return shape;
}

TEST(HammingProduct, EdgeNeverFallsAndIsAtLeastTheBestStumps) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const RandomProblem problem = random_problem(shape_of(seed), random);
    const BinnedDataset binned = problem.binned();
    HammingProduct product(binned, {binned.rows(), 1},
                           {1 + static_cast<int>(seed % 5), stump_growth()});
    const double edge = edge_of(product.fit({problem.target()}, {}), problem);
    TreeLearner stump(binned, {binned.rows(), 1},
                      {CriterionKind::kVote, LeafRule::kVote, 0, stump_growth()});
    const double stump_edge = edge_of(stump.fit({problem.target()}, {}), problem);
    const double slack = 1e-5 * (1 + std::abs(edge));
    EXPECT_GE(edge, stump_edge - slack) << seed;
    EXPECT_NEAR(edge, product.edges().back(), slack) << seed;
    EXPECT_NEAR(product.edges().front(), stump_edge, slack) << seed;
    for (std::size_t i = 1; i < product.edges().size(); ++i)
      EXPECT_GT(product.edges()[i], product.edges()[i - 1]) << seed;
  }
}

TEST(HammingProduct, TreeSaysWhatTheProductSays) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const ProblemShape shape = shape_of(seed);
    const RandomProblem problem = random_problem(shape, random);
    const BinnedDataset binned = problem.binned();
    HammingProduct product(binned, {binned.rows(), 1},
                           {1 + static_cast<int>(seed % 6), stump_growth()});
    const RowVectors fitted = product.fit({problem.target()}, {});
    const Matrix packed = packed_values(product, problem.data, shape.width, 0.5);
    for (std::size_t i = 0; i < shape.rows; ++i)
      for (std::size_t l = 0; l < shape.width; ++l)
        ASSERT_EQ(packed.row(i)[l], 0.5F * fitted.of(i)[l]) << seed;
    // Data that training has not seen, with values missing where none were.
    Random other(seed + 1'000'000);
    Dataset unseen = random_problem(shape, other).data;
    for (std::size_t f = 0; f < unseen.columns.size(); ++f)
      unseen.columns[f].schema = problem.data.columns[f].schema;
    const BinnedDataset unseen_bins(unseen, problem.bins, 1);
    const RowVectors applied = product.apply({unseen, unseen_bins});
    const Matrix elsewhere = packed_values(product, unseen, shape.width);
    for (std::size_t i = 0; i < shape.rows; ++i)
      for (std::size_t l = 0; l < shape.width; ++l)
        ASSERT_EQ(elsewhere.row(i)[l], applied.of(i)[l]) << seed;
  }
}

TEST(HammingProduct, TwoFactorsSolveTheExclusiveOr) {
  Dataset data;
  data.rows = 4;
  data.columns = {Column::numeric("a", {0, 0, 1, 1}), Column::numeric("b", {0, 1, 0, 1})};
  const std::vector<float> pulls{0.3F, -0.24F, -0.25F, 0.21F};
  const BinnedDataset binned(data, choose_bins(data, {256, 1}), 1);
  HammingProduct product(binned, {binned.rows(), 1}, {2, stump_growth()});
  const RowVectors h = product.fit({{4, 1, pulls.data(), nullptr, nullptr}}, {});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_GT(h.of(i)[0] * pulls[i], 0) << i;
}

TEST(HammingProduct, CutsOfOneFeatureTakeNoNeedlessLeaves) {
  // + - + - along one feature: three cuts, four regions.
  Dataset data;
  data.rows = 8;
  data.columns = {Column::numeric("x", {0, 1, 2, 3, 4, 5, 6, 7})};
  const std::vector<float> pulls{4, 4, -3, -3, 3, 3, -1, -1};
  const BinnedDataset binned(data, choose_bins(data, {256, 1}), 1);
  HammingProduct product(binned, {binned.rows(), 1}, {3, stump_growth()});
  const RowVectors h = product.fit({{8, 1, pulls.data(), nullptr, nullptr}}, {});
  for (std::size_t i = 0; i < 8; ++i) EXPECT_GT(h.of(i)[0] * pulls[i], 0) << i;
  Forest forest;
  product.append_to(forest, 1);
  ASSERT_EQ(forest.trees.size(), 1U);
  // One leaf more than regions may be needed for missing values.
  EXPECT_LE(forest.trees[0].leaves, 5U);
}

TEST(HammingProduct, SampledRowsAloneCount) {
  Random random(5);
  ProblemShape shape;
  shape.rows = 60;
  const RandomProblem problem = random_problem(shape, random);
  RandomProblem changed = problem;
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < 60; ++i) {
    if (i % 3 == 0) {
      rows.push_back(i);
    } else {
      for (std::size_t l = 0; l < shape.width; ++l) changed.pulls[i * shape.width + l] = 7;
    }
  }
  const BinnedDataset binned = problem.binned();
  HammingProduct one(binned, {binned.rows(), 1}, {3, stump_growth()});
  HammingProduct other(binned, {binned.rows(), 1}, {3, stump_growth()});
  const RowVectors a = one.fit({problem.target()}, {rows, {}});
  const RowVectors b = other.fit({changed.target()}, {rows, {}});
  for (std::size_t i = 0; i < 60; ++i)
    for (std::size_t l = 0; l < shape.width; ++l) EXPECT_EQ(a.of(i)[l], b.of(i)[l]);
}

TEST(HammingProduct, TrainsTheSameModelOnAnyNumberOfThreads) {
  Random random(11);
  ProblemShape shape;
  shape.rows = 500;
  shape.numbers = 200;
  shape.categories = 6;
  Dataset data = random_problem(shape, random).data;
  data.labels.classes = {"a", "b", "c"};
  for (std::size_t i = 0; i < data.rows; ++i)
    data.labels.codes.push_back(static_cast<std::int32_t>(random.below(3)));
  Parameters parameters;
  parameters.algorithm = "adaboost-mh";
  parameters.learner = "hamming-product";
  parameters.rounds = 10;
  parameters.factors = 4;
  parameters.threads = 1;
  const Model one = train(data, parameters);
  parameters.threads = 3;
  EXPECT_EQ(one.predict_scores(data).values, train(data, parameters).predict_scores(data).values);
}

}  // namespace
}  // namespace simplexboost
