// The trees of dmcboost: the search by curves against brute force and against the search by line
// searches.
#include "tree/direct_grower.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <span>

#include "optimizer/search/direct_curves.h"
#include "optimizer/search/error_search.h"
#include "optimizer/vote_problem.h"
#include "tree/exact_direct_grower.h"
#include "tree/random_problem.h"
#include "tree/split/filter_search.h"

namespace simplexboost {
namespace {

using testing::ProblemShape;
using testing::random_problem;
using testing::RandomProblem;
using testing::VoteProblem;

constexpr std::size_t kManySteps = 4096;

RandomProblem features(std::size_t rows, std::size_t categories, Random& random,
                       std::size_t numbers = 6) {
  ProblemShape shape;
  shape.numbers = numbers;
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
  const auto& weights = problem.weights;
  return std::accumulate(weights.begin(), weights.end(), 0.0) -
         best_interval(points, start, 1e-5).error;
}

// The best stump by trying every subset of the bins of every feature that a cut allows, and every
// pair of labels. `worth`: of the votes.
// And every value of every filter.
template <class Worth>
double brute_stump(const Problem& problem, const BinnedDataset& data, const Worth& worth,
                   const std::vector<ImageFilter>& filters = {}) {
  const std::size_t rows = problem.rows();
  const auto classes = static_cast<std::int32_t>(problem.classes);
  double best = -std::numeric_limits<double>::infinity();
  std::vector<std::int32_t> votes(rows);
  const auto try_side = [&](const auto& is_left) {
    for (std::int32_t l = 0; l < classes; ++l)
      for (std::int32_t r = 0; r < classes; ++r) {
        for (std::size_t i = 0; i < rows; ++i) votes[i] = is_left(i) ? l : r;
        best = std::max(best, worth(votes));
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
  for (const ImageFilter& filter : filters) {
    const FilterTaps taps = filter_taps(filter, data.images()->shape());
    const auto value = [&](std::size_t i) { return data.images()->value(taps, i); };
    for (std::size_t row = 0; row < rows; ++row)
      try_side([&](std::size_t i) { return value(i) <= value(row); });
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

// What slopes say of these votes on some rows.
double slope_of(const StepCurves& curves, const std::vector<std::int32_t>& votes,
                std::span<const std::uint32_t> rows) {
  std::int64_t sum = 0;
  for (const std::uint32_t row : rows) {
    const auto cells = curves.cells(row);
    if (!cells.empty()) sum += cells[static_cast<std::size_t>(votes[row])];
  }
  return curves.offset[0] + curves.factor[0] * static_cast<double>(sum);
}

double slope_of(const StepCurves& curves, const std::vector<std::int32_t>& votes) {
  std::vector<std::uint32_t> rows(curves.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  return slope_of(curves, votes, rows);
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
      for (double& weight : problem.weights) weight = 1 + static_cast<double>(random.below(3));
    StepCurves curves;
    error_curves(problem.view(), error_steps(problem.view(), kManySteps), curves);
    GrowthOptions options;
    options.max_depth = 1;
    DirectGrower grower(data, options, 1);
    const GrownTree& tree = grower.grow(curves, nullptr);
    const double found = best_right(problem, votes_of(tree, grower.labels(), rows));
    // What the curves promise is what the tree does.
    EXPECT_EQ(grower.objective(), found);
    const auto worth = [&](const auto& votes) { return best_right(problem, votes); };
    EXPECT_EQ(found, brute_stump(problem.problem, data, worth));
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
    DirectGrower grower(data, options, 1);
    grower.grow(curves, nullptr);
    ExactDirectGrower exact(data, options, 1);
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
    DirectGrower grower(data, options, 1);
    StepCurves curves;
    error_curves(problem.view(), error_steps(problem.view(), 8), curves);
    const GrownTree* tree = &grower.grow(curves, nullptr);
    EXPECT_LE(grower.objective(),
              best_right(problem, votes_of(*tree, grower.labels(), rows)) + 1e-9);
    for (const GrownNode& node : tree->nodes)
      EXPECT_GE(node.end - node.begin, static_cast<unsigned>(options.min_rows));

    // At one step the worth of a tree is the sum over its votes.
    margin_slopes(problem.view(), random.uniform() - 0.5, 0.1 + random.uniform(), curves);
    tree = &grower.grow(curves, nullptr);
    EXPECT_NEAR(grower.objective(), slope_of(curves, votes_of(*tree, grower.labels(), rows)), 1e-9);
  }
}

TEST(DirectGrower, FindsTheStumpOfSteepestSlope) {
  Random random(5);
  for (int trial = 0; trial < 60 && !::testing::Test::HasFailure(); ++trial) {
    SCOPED_TRACE(trial);
    const std::size_t rows = 4 + random.below(14);
    const RandomProblem x = features(rows, trial % 2 == 0 ? 0 : 4, random);
    const BinnedDataset data = x.binned();
    const VoteProblem problem(rows, 2 + random.below(3), trial % 3 == 0, random);
    StepCurves curves;
    margin_slopes(problem.view(), random.uniform() - 0.5, 0.1 + random.uniform(), curves);
    GrowthOptions options;
    options.max_depth = 1;
    DirectGrower grower(data, options, 1);
    const GrownTree& tree = grower.grow(curves, nullptr);
    const auto worth = [&](const auto& votes) { return slope_of(curves, votes); };
    EXPECT_NEAR(worth(votes_of(tree, grower.labels(), rows)), grower.objective(), 1e-9);
    EXPECT_NEAR(grower.objective(), brute_stump(problem.problem, data, worth), 1e-9);
  }
}

// Quarters times four: a filter has a bin for each of its values then.
Dataset whole_numbers(Dataset data) {
  std::vector<double> values(data.rows);
  for (Column& column : data.columns) {
    column.copy(0, data.rows, values.data());
    for (double& value : values) value *= 4;
    column = Column::numeric(column.schema.name, values);
  }
  return data;
}

TEST(DirectGrower, FindsTheStumpOfSteepestSlopeAmongFiltersToo) {
  Random random(8);
  int filtered = 0;
  for (int trial = 0; trial < 60 && !::testing::Test::HasFailure(); ++trial) {
    SCOPED_TRACE(trial);
    const std::size_t rows = 6 + random.below(20);
    const RandomProblem x = random_problem(
        {.rows = rows, .features = 9, .numbers = 3, .missing = false, .zero_weights = false},
        random);
    BinnedDataset data = x.binned();
    const ImageShape shape{3, 3, 1};
    const Dataset pixels = whole_numbers(x.data);
    data.set_images(std::make_shared<IntegralImages>(pixels, shape, 1));
    const VoteProblem problem(rows, 2 + random.below(3), trial % 3 == 0, random);
    StepCurves curves;
    margin_slopes(problem.view(), random.uniform() - 0.5, 0.1 + random.uniform(), curves);
    GrowthOptions options;
    options.max_depth = 1;
    options.filters = 8;
    const SplitChance chance{static_cast<std::uint64_t>(trial), 0};
    DirectGrower grower(data, options, 1);
    const GrownTree& tree = grower.grow(curves, nullptr, {}, chance);
    filtered += tree.nodes[0].split.filtered ? 1 : 0;
    const auto worth = [&](const auto& votes) { return slope_of(curves, votes); };
    EXPECT_NEAR(worth(votes_of(tree, grower.labels(), rows)), grower.objective(), 1e-9);
    const auto filters = node_filters(shape, options.filters, chance, tree, 0);
    EXPECT_NEAR(grower.objective(), brute_stump(problem.problem, data, worth, filters), 1e-9);
  }
  EXPECT_GT(filtered, 10);
}

// Nodes of many rows, of few, and of rows that all want the same label are searched in different
// ways: each has the gain of its best cut, and leaves have none.
TEST(DirectGrower, EveryNodeOfADeepTreeHasTheCutOfSteepestSlope) {
  Random random(6);
  for (int trial = 0; trial < 8 && !::testing::Test::HasFailure(); ++trial) {
    SCOPED_TRACE(trial);
    const std::size_t rows = 150 + random.below(50);
    const RandomProblem x = features(rows, trial % 2 == 0 ? 0 : 4, random, 200);
    const BinnedDataset data = x.binned();
    const VoteProblem problem(rows, 2 + random.below(2), trial < 4, random);
    StepCurves curves;
    margin_slopes(problem.view(), random.uniform() - 0.5, 0.1 + random.uniform(), curves);
    GrowthOptions options;
    options.max_depth = 20;
    DirectGrower grower(data, options, 1);
    const GrownTree& tree = grower.grow(curves, nullptr);
    EXPECT_GT(tree.nodes.size(), 20);
    for (const GrownNode& node : tree.nodes) {
      const auto worth = [&](const std::vector<std::int32_t>& votes) {
        return slope_of(curves, votes, tree.rows(node));
      };
      double whole = -std::numeric_limits<double>::infinity();
      for (std::size_t y = 0; y < problem.problem.classes; ++y)
        whole = std::max(whole, worth(std::vector(rows, static_cast<std::int32_t>(y))));
      EXPECT_NEAR(static_cast<double>(node.gain), brute_stump(problem.problem, data, worth) - whole,
                  1e-5);
    }
  }
}

// The cells are the slopes of the smoothed soft margin, by the formula.
TEST(DirectGrower, SlopesOfMarginsAreThoseOfTheSmoothedSoftMargin) {
  Random random(4);
  for (int trial = 0; trial < 100 && !::testing::Test::HasFailure(); ++trial) {
    SCOPED_TRACE(trial);
    VoteProblem problem(1 + random.below(20), 2 + random.below(4), trial % 2 == 0, random);
    const double edge = random.uniform() - 0.5;
    const double width = 0.05 + random.uniform();
    StepCurves curves;
    margin_slopes(problem.view(), edge, width, curves);
    double expected = 0;
    double weight = 0;
    for (std::size_t i = 0; i < problem.problem.rows(); ++i) {
      const double active =
          problem.problem.weights[i] / (1 + std::exp((problem.margin(i, 0) - edge) / width));
      weight += problem.problem.weights[i];
      const auto c = static_cast<std::size_t>(problem.labels.codes[i]);
      const auto y = static_cast<std::size_t>(problem.chosen[i]);
      const std::vector<double> votes = problem.after(i, 0);
      double all = 0;
      for (std::size_t l = 0; l < votes.size(); ++l)
        if (l != c) all += std::exp(votes[l] / width);
      expected += y == c ? active : -active * std::exp(votes[y] / width) / all;
    }
    EXPECT_NEAR(slope_of(curves, problem.chosen), expected, 1e-5 * weight);
  }
}

// Hardly smoothed, they say how fast the soft margin (6) rises with a short step.
TEST(DirectGrower, SlopesOfNarrowWidthAreThoseOfTheSoftMargin) {
  Random random(6);
  constexpr double kStep = 1e-4;
  int judged = 0;
  for (int trial = 0; trial < 200 && !::testing::Test::HasFailure(); ++trial) {
    SCOPED_TRACE(trial);
    VoteProblem problem(1 + random.below(20), 2 + random.below(4), trial % 2 == 0, random);
    const double edge = random.uniform() - 0.5;
    const auto lacking = [&](double alpha) {
      double sum = 0;
      for (std::size_t i = 0; i < problem.problem.rows(); ++i)
        sum += problem.problem.weights[i] * std::max(edge - problem.margin(i, alpha), 0.0);
      return sum;
    };
    // Away from corners, where there is one slope.
    bool corner = false;
    for (std::size_t i = 0; i < problem.problem.rows(); ++i) {
      const RowVotes& row = problem.rows[i];
      corner =
          corner || row.top - row.second < 2e-3F || std::fabs(problem.margin(i, 0) - edge) < 2e-3;
    }
    if (corner) continue;
    ++judged;
    StepCurves curves;
    margin_slopes(problem.view(), edge, 1e-4, curves);
    EXPECT_NEAR(slope_of(curves, problem.chosen), (lacking(0) - lacking(kStep)) / kStep, 1e-2);
  }
  EXPECT_GT(judged, 20);
}

}  // namespace
}  // namespace simplexboost
