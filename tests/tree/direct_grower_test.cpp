// The trees of dmcboost: the search by curves against brute force and against the search by line
// searches.
#include "tree/direct_grower.h"

#include <gtest/gtest.h>

#include <numeric>

#include "optimizer/direct_curves.h"
#include "optimizer/error_search.h"
#include "optimizer/margin_search.h"
#include "optimizer/vote_problem.h"
#include "tree/exact_direct_grower.h"
#include "tree/random_problem.h"

namespace simplexboost {
namespace {

using testing::ProblemShape;
using testing::random_problem;
using testing::RandomProblem;
using testing::VoteProblem;

constexpr std::size_t kManySteps = 4096;

RandomProblem features(std::size_t rows, std::size_t categories, Random& random) {
  ProblemShape shape;
  shape.rows = rows;
  shape.features = 3;
  shape.categories = categories;
  RandomProblem problem = random_problem(shape, random);
  problem.bins = choose_bins(problem.data, {256, 1});
  return problem;
}

// The weight that is right at the best step along h.
double best_right(VoteProblem& problem, const std::vector<std::int32_t>& votes) {
  std::vector<ErrorPoint> points;
  const double start = error_points(problem.view(), votes, points);
  const auto& weights = problem.problem.weights;
  return std::accumulate(weights.begin(), weights.end(), 0.0) -
         best_interval(points, start, 1e-5).error;
}

// The best stump by trying every subset of the bins of every feature that a cut allows, and every
// pair of labels.
double brute_stump(VoteProblem& problem, const BinnedDataset& data) {
  const std::size_t rows = problem.problem.rows;
  const auto classes = static_cast<std::int32_t>(problem.problem.classes);
  double best = 0;
  std::vector<std::int32_t> votes(rows);
  const auto try_side = [&](const auto& is_left) {
    for (std::int32_t l = 0; l < classes; ++l)
      for (std::int32_t r = 0; r < classes; ++r) {
        for (std::size_t i = 0; i < rows; ++i) votes[i] = is_left(i) ? l : r;
        best = std::max(best, best_right(problem, votes));
      }
  };
  for (std::uint32_t f = 0; f < data.features(); ++f) {
    const FeatureBins& bins = data.bins(f);
    const auto values = data.values<std::uint8_t>(f);
    if (bins.type == FeatureType::kCategorical) {
      for (std::uint32_t set = 0; set < 1U << (bins.value_bins + 1); ++set)
        try_side([&](std::size_t i) { return (set >> values[i] & 1) != 0; });
      continue;
    }
    for (std::uint32_t bin = 0; bin < bins.value_bins; ++bin)
      for (const bool missing_left : {false, true})
        try_side([&](std::size_t i) {
          return values[i] == bins.missing_bin() ? missing_left : values[i] <= bin;
        });
  }
  return best;
}

std::vector<std::int32_t> votes_of(const GrownTree& tree, const std::vector<std::int32_t>& labels,
                                   std::size_t rows) {
  std::vector<std::int32_t> votes(rows, -1);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    if (tree.nodes[i].leaf())
      for (const std::uint32_t row : tree.rows(tree.nodes[i])) votes[row] = labels[i];
  return votes;
}

TEST(DirectGrower, FindsTheStumpOfLeastErrorWhereEveryStepIsJudged) {
  Random random(1);
  for (int trial = 0; trial < 60 && !::testing::Test::HasFailure(); ++trial) {
    SCOPED_TRACE(trial);
    const std::size_t rows = 4 + random.below(14);
    const RandomProblem x = features(rows, trial % 2 == 0 ? 0 : 4, random);
    const BinnedDataset data = x.binned();
    VoteProblem problem(rows, 2 + random.below(3), false, random);
    if (trial % 3 == 0)
      for (double& weight : problem.problem.weights)
        weight = 1 + static_cast<double>(random.below(3));
    StepCurves curves;
    error_curves(problem.view(), error_steps(problem.view(), kManySteps), curves);
    GrowthOptions options;
    options.max_depth = 1;
    DirectGrower grower(data, options);
    const GrownTree& tree = grower.grow(curves, nullptr);
    const double found = best_right(problem, votes_of(tree, grower.labels(), rows));
    // What the curves promise is what the tree does.
    EXPECT_EQ(grower.objective(), found);
    EXPECT_EQ(found, brute_stump(problem, data));
  }
}

TEST(DirectGrower, StumpsAreNoWorseThanThoseOfTheLiteralSearch) {
  Random random(2);
  for (int trial = 0; trial < 60 && !::testing::Test::HasFailure(); ++trial) {
    SCOPED_TRACE(trial);
    const std::size_t rows = 10 + random.below(40);
    const RandomProblem x = features(rows, trial % 2 == 0 ? 0 : 5, random);
    const BinnedDataset data = x.binned();
    VoteProblem problem(rows, 2 + random.below(4), false, random);
    StepCurves curves;
    error_curves(problem.view(), error_steps(problem.view(), kManySteps), curves);
    curves.exact = [&](const std::vector<std::int32_t>& votes) {
      return best_right(problem, votes);
    };
    GrowthOptions options;
    options.max_depth = 1;
    DirectGrower grower(data, options);
    grower.grow(curves, nullptr);
    ExactDirectGrower exact(data, options);
    const GrownTree& tree = exact.grow(curves, nullptr);
    EXPECT_GE(grower.objective(), best_right(problem, votes_of(tree, exact.labels(), rows)));
  }
}

// Deeper trees, few steps: what is promised at a step is kept, or bettered by the line search.
TEST(DirectGrower, TheLineSearchIsAtLeastAsGoodAsTheCurvesPromise) {
  Random random(3);
  for (int trial = 0; trial < 60 && !::testing::Test::HasFailure(); ++trial) {
    SCOPED_TRACE(trial);
    const std::size_t rows = 20 + random.below(60);
    const RandomProblem x = features(rows, trial % 2 == 0 ? 0 : 12, random);
    const BinnedDataset data = x.binned();
    VoteProblem problem(rows, 2 + random.below(4), false, random);
    GrowthOptions options;
    options.max_depth = 3;
    options.min_rows = trial % 4 == 0 ? 5 : 1;
    options.max_leaves = trial % 3 == 0 ? 5 : 0;
    options.best_first = options.max_leaves > 0;
    DirectGrower grower(data, options);
    StepCurves curves;
    error_curves(problem.view(), error_steps(problem.view(), 8), curves);
    const GrownTree* tree = &grower.grow(curves, nullptr);
    EXPECT_LE(grower.objective(),
              best_right(problem, votes_of(*tree, grower.labels(), rows)) + 1e-9);
    for (const GrownNode& node : tree->nodes)
      EXPECT_GE(node.end - node.begin, static_cast<unsigned>(options.min_rows));

    const double mass = static_cast<double>(rows) * (0.1 + 0.8 * random.uniform());
    MarginSearch search(problem.problem.weights, mass, 1);
    std::vector<float> margins;
    for (const RowVotes& row : problem.rows) margins.push_back(row.own - row.top);
    const std::vector<MarginStep> steps{{0.05, 0.5}, {0.1, 0.5}, {0.2, 0}, {0.2, 1}, {0.8, 0.5}};
    const double total = 2;
    margin_curves(problem.view(), steps,
                  {static_cast<double>(search.bottom(margins).edge), mass, total}, curves);
    tree = &grower.grow(curves, nullptr);
    problem.chosen = votes_of(*tree, grower.labels(), rows);
    const MarginSearch::Result found = search.search(problem.lines(), total, 4, 1e-5);
    EXPECT_LE(grower.objective(), found.objective + 1e-5);
  }
}

// The cells are what the soft margin (6) loses or gains by a vote, at every step.
TEST(DirectGrower, CurvesOfMarginsAreThoseOfTheSoftMargin) {
  Random random(4);
  for (int trial = 0; trial < 100 && !::testing::Test::HasFailure(); ++trial) {
    SCOPED_TRACE(trial);
    VoteProblem problem(1 + random.below(20), 2 + random.below(4), trial % 2 == 0, random);
    const MarginCurveOptions options{random.uniform() - 0.5, 0.5 + random.uniform(), 2};
    const std::vector<MarginStep> steps{{0.1, 0.5}, {0.5, 0}, {1.5, 1}};
    StepCurves curves;
    margin_curves(problem.view(), steps, options, curves);
    std::vector<std::int64_t> sums(steps.size());
    for (std::size_t i = 0; i < problem.problem.rows; ++i) {
      const CurveBlock& block = curves.blocks[0];
      for (std::uint32_t line = block.begin[i]; line < block.begin[i + 1]; ++line)
        for (std::size_t k = 0; k < steps.size(); ++k)
          if (static_cast<std::int32_t>(block.labels[line]) == problem.chosen[i])
            sums[k] += block.cells[line * steps.size() + k];
    }
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const double threshold = options.edge + steps[k].lift * steps[k].alpha;
      double lack = 0;
      for (std::size_t i = 0; i < problem.problem.rows; ++i)
        lack += problem.problem.weights[i] *
                std::max(threshold - problem.margin(i, steps[k].alpha), 0.0);
      const double size = options.total + steps[k].alpha;
      EXPECT_NEAR(curves.offset[k] + curves.factor[k] * static_cast<double>(sums[k]),
                  (threshold - lack / options.mass) / size, 1e-5);
    }
  }
}

}  // namespace
}  // namespace simplexboost
