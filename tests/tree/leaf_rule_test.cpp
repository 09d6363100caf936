// What leaves say, by definition; and packed trees, which must say the same of raw values.
#include "tree/leaf/leaf_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "model/model_access.h"
#include "simplexboost/model.h"
#include "tree/grower.h"
#include "tree/leaf/leaf_assignment.h"
#include "tree/pack.h"
#include "tree/random_problem.h"

namespace simplexboost {
namespace {

using testing::category_names;
using testing::ProblemShape;
using testing::random_problem;
using testing::RandomProblem;

RandomProblem leaf_problem(std::uint64_t seed, bool one_hot = false) {
  Random random(seed);
  ProblemShape shape;
  shape.rows = 400;
  shape.features = 6;
  shape.width = 4;
  shape.numbers = 40;
  shape.categories = 37;
  shape.one_hot = one_hot;
  return random_problem(shape, random);
}

double sum_of(std::span<const std::uint32_t> rows, const std::vector<float>& values,
              std::size_t width, std::size_t j) {
  double sum = 0;
  for (const std::uint32_t row : rows) sum += static_cast<double>(values[row * width + j]);
  return sum;
}

// By the definition of each rule, from the rows of the leaf.
double value_of(const RandomProblem& problem, std::span<const std::uint32_t> rows, LeafRule rule,
                double l2, std::size_t j) {
  std::vector<double> g;
  for (std::size_t k = 0; k < problem.width; ++k)
    g.push_back(sum_of(rows, problem.pulls, problem.width, k));
  switch (rule) {
    case LeafRule::kClass:
      return static_cast<std::size_t>(std::max_element(g.begin(), g.end()) - g.begin()) == j;
    case LeafRule::kMean: return g[j] / (sum_of(rows, problem.weights, 1, 0) + l2);
    case LeafRule::kProportion: return g[j] / std::accumulate(g.begin(), g.end(), 0.0);
    default: return g[j] < 0 ? -1 : 1;  // kVote of a root
  }
}

TEST(LeafRule, ValuesAreThoseOfTheDefinitions) {
  for (const LeafRule rule : {LeafRule::kClass, LeafRule::kMean, LeafRule::kProportion}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const RandomProblem problem = leaf_problem(seed, rule == LeafRule::kProportion);
      const BinnedDataset data = problem.binned();
      const RowStats stats = stats_of(problem);
      GrowthOptions options;
      options.max_depth = 3;
      options.min_weight = 1;
      TreeGrower grower(data, {data.rows(), 1}, options);
      const double l2 = seed % 2 == 0 ? 0 : 0.7;
      const CriterionSpec criterion = stats.criterion(CriterionKind::kLeastSquares, l2);
      const GrownTree& tree = grower.grow(stats, criterion);
      Leaves leaves;
      set_leaves(tree, stats, rule, l2, leaves);
      for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        if (!tree.nodes[i].leaf()) continue;
        const auto leaf = static_cast<std::size_t>(leaves.of_node[i]);
        for (std::size_t j = 0; j < problem.width; ++j) {
          const double value = value_of(problem, tree.rows(tree.nodes[i]), rule, l2, j);
          EXPECT_NEAR(static_cast<double>(leaves.values[leaf * problem.width + j]), value,
                      2e-5 * (1 + std::fabs(value)));
        }
      }
    }
  }
}

TEST(LeafRule, LeafWithoutWeightSaysNothing) {
  RandomProblem problem = leaf_problem(1);
  std::fill(problem.weights.begin(), problem.weights.end(), 0.0F);
  std::fill(problem.pulls.begin(), problem.pulls.end(), 0.0F);
  const BinnedDataset data = problem.binned();
  const RowStats stats = stats_of(problem);
  TreeGrower grower(data, {data.rows(), 1}, GrowthOptions{});
  const CriterionSpec criterion = stats.criterion(CriterionKind::kLeastSquares, 0);
  const GrownTree& tree = grower.grow(stats, criterion);
  EXPECT_EQ(tree.nodes.size(), 1U);
  Leaves leaves;
  for (const LeafRule rule : {LeafRule::kMean, LeafRule::kSubset}) {
    set_leaves(tree, stats, rule, 0, leaves);
    EXPECT_EQ(leaves.values, std::vector<float>(4, 0.0F));
  }
  set_leaves(tree, stats, LeafRule::kProportion, 0, leaves);
  EXPECT_EQ(leaves.values, std::vector<float>(4, 0.25F)) << "shares sum to 1";
}

// Trees packed, predicted from raw values, beside the leaves of the binned rows.
TEST(PackTree, PredictsTheLeafOfEveryTrainingRow) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const RandomProblem problem = leaf_problem(seed);
    const BinnedDataset data = problem.binned();
    const RowStats stats = stats_of(problem);
    GrowthOptions options;
    options.best_first = seed % 2 == 0;
    options.max_leaves = 30;
    options.categorical =
        seed % 4 < 2 ? CategoricalSplits::kSubset : CategoricalSplits::kOneAgainstRest;
    TreeGrower grower(data, {data.rows(), 1}, options);
    const CriterionSpec criterion = stats.criterion(CriterionKind::kLeastSquares, 0);
    const GrownTree& tree = grower.grow(stats, criterion);
    Leaves leaves;
    set_leaves(tree, stats, LeafRule::kMean, 0, leaves);
    std::vector<std::uint32_t> leaf(data.rows());
    assign_leaves(tree, leaves.of_node, data, 1, leaf.data());

    auto ensemble = std::make_shared<Ensemble>();
    ensemble->algorithm = "samme";
    ensemble->schema = problem.data.schema();
    ensemble->schema.classes = category_names(problem.width);
    ensemble->schema.label_columns = {"class"};
    ensemble->bias.assign(problem.width, 0);
    Forest& forest = ensemble->forest;
    forest.outputs = static_cast<std::uint32_t>(problem.width);
    const double unit = stats.score_unit(criterion.kind);
    pack_tree(tree, leaves, problem.bins, 0, problem.width, 0.5, unit, forest);
    pack_tree(tree, leaves, problem.bins, 0, problem.width, 0.25, unit, forest);
    forest.round_end = {1, 2};
    const Model model = make_model(ensemble);
    const Matrix scores = model.predict_scores(problem.data, {1, 2});
    for (std::size_t i = 0; i < data.rows(); ++i)
      for (std::size_t j = 0; j < problem.width; ++j)
        ASSERT_FLOAT_EQ(scores.row(i)[j], 0.75F * leaves.values[leaf[i] * problem.width + j]);

    std::vector<float> gains;
    for (const GrownNode& node : tree.nodes)
      if (!node.leaf()) gains.push_back(static_cast<float>(static_cast<double>(node.gain) * unit));
    ASSERT_EQ(forest.node_gain.size(), 2 * gains.size());
    EXPECT_TRUE(std::equal(gains.begin(), gains.end(), forest.node_gain.begin()));
  }
}

}  // namespace
}  // namespace simplexboost
