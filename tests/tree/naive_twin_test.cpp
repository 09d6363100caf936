// The grower against its naive twin, for every criterion, on thousands of small problems.
#include <gtest/gtest.h>

#include <numeric>
#include <optional>

#include "tree/naive_splits.h"

namespace simplexboost {
namespace {

using testing::NaiveOptions;
using testing::NaiveSplits;
using testing::ProblemShape;
using testing::RandomCodewords;
using testing::RandomProblem;
using Rows = NaiveSplits::Rows;

ProblemShape random_shape(Random& random) {
  ProblemShape shape;
  shape.rows = 1 + random.below(random.below(4) == 0 ? 3 : 40);
  shape.features = 1 + random.below(5);
  shape.width = 1 + random.below(random.below(2) == 0 ? 4 : 20);
  shape.numbers = 1 + random.below(12);
  shape.categories = random.below(2) == 0 ? 0 : 2 + random.below(6);  // 8 with the missing ones
  shape.missing = random.below(2) == 0;
  shape.one_hot = random.below(3) == 0;
  shape.max_bins = random.below(8) == 0 ? 2 + static_cast<int>(random.below(4)) : 256;
  return shape;
}

// A problem, the grower's view of it and the twin's.
struct Trial {
  Random random;
  NaiveOptions naive;
  RandomProblem problem;
  BinnedDataset data;
  RowStats stats;
  RandomCodewords codewords;
  GrowthOptions growth;  // set with the criterion
  CriterionSpec criterion;
  NaiveSplits twin;

  // A given shape comes without limits on the cuts.
  Trial(CriterionKind kind, std::uint64_t seed, std::optional<ProblemShape> shape = {})
      : random(seed, static_cast<std::uint64_t>(kind)),
        naive{kind},
        problem(random_problem(shape ? *shape : random_shape(random), random)),
        data(problem.binned()),
        stats(stats_for(problem, kind)),
        codewords(problem.width, 2 + random.below(10), random),
        criterion((choose_limits(shape.has_value()), stats.criterion(kind, naive.l2))),
        twin(problem, data, naive, &codewords) {
    codewords.give_to(criterion);
  }

  void choose_limits(bool none) {
    if (none) return;
    if (random.below(3) == 0) naive.l2 = random.uniform();
    if (random.below(3) == 0) naive.min_rows = 1 + static_cast<int>(random.below(6));
    if (random.below(3) == 0) naive.min_weight = 2 * random.uniform();
    if (random.below(4) == 0) naive.categorical = CategoricalSplits::kOneAgainstRest;
    growth.min_rows = naive.min_rows;
    growth.min_weight = naive.min_weight;
    growth.categorical = naive.categorical;
  }

  double unit() const { return stats.score_unit(naive.kind); }
};

// The best that a node can do: a cut, or a constant vote.
double naive_best(const Trial& trial, const Rows& rows) {
  const double cut = trial.twin.best(rows);
  return signed_cut(trial.naive.kind) ? std::max(cut, trial.twin.whole(rows)) : cut;
}

// The node's split is as good as the best one, and its score is what it says.
void expect_best_split(const Trial& trial, const GrownNode& node, const Rows& rows) {
  const double tolerance = trial.twin.tolerance(rows);
  const double best = naive_best(trial, rows);
  if (!node.split.valid()) {
    EXPECT_TRUE(std::isinf(best)) << "missed a cut of score " << best;
    return;
  }
  const double reported = static_cast<double>(node.split.score) * trial.unit();
  EXPECT_NEAR(reported, best, tolerance);
  if (node.split.constant) return;
  const auto [left, right] = trial.twin.part(node.split, rows);
  EXPECT_TRUE(trial.twin.allowed(left) && trial.twin.allowed(right));
  EXPECT_NEAR(trial.twin.score(left, right), reported, tolerance);
}

class NaiveTwin : public ::testing::TestWithParam<CriterionKind> {};

TEST_P(NaiveTwin, NoRootSplitIsBetter) {
  for (std::uint64_t seed = 0; seed < 2500 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Trial trial(GetParam(), seed);
    trial.growth.max_depth = 1;
    TreeGrower grower(trial.data, {trial.data.rows(), 1}, trial.growth);
    const GrownTree& tree = grower.grow(trial.stats, trial.criterion);
    Rows rows(trial.data.rows());
    std::iota(rows.begin(), rows.end(), 0U);
    if (rows.size() < 2 * static_cast<std::size_t>(trial.growth.min_rows)) {
      EXPECT_TRUE(tree.nodes[0].leaf());
      EXPECT_TRUE(std::isinf(trial.twin.best(rows)));
      continue;
    }
    expect_best_split(trial, tree.nodes[0], rows);
  }
}

// What a node stands with before it is cut itself.
double naive_current(const Trial& trial, const GrownTree& tree, std::size_t index,
                     const std::vector<Rows>& rows) {
  const GrownNode& node = tree.nodes[index];
  if (!signed_cut(trial.naive.kind)) return trial.twin.whole(rows[index]);
  if (node.parent < 0) return 0;
  const GrownNode& parent = tree.nodes[static_cast<std::size_t>(node.parent)];
  const auto [left, right] = trial.twin.signed_edges(rows[static_cast<std::size_t>(parent.left)],
                                                     rows[static_cast<std::size_t>(parent.right)]);
  return static_cast<std::size_t>(parent.left) == index ? left : right;
}

// Replays the growth: every cut is the best one of its node, and, if best-first, of a node whose
// gain no open node surpasses; what stays a leaf could not have been cut with gain.
void expect_naive_tree(const Trial& trial, const GrownTree& tree) {
  std::vector<Rows> rows;
  std::vector<double> gains;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const auto range = tree.rows(tree.nodes[i]);
    rows.emplace_back(range.begin(), range.end());
  }
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const double current = naive_current(trial, tree, i, rows);
    EXPECT_NEAR(static_cast<double>(tree.nodes[i].current) * trial.unit(), current,
                trial.twin.tolerance(rows[i]));
    gains.push_back(naive_best(trial, rows[i]) - current);
  }
  const double tolerance = 3 * trial.twin.tolerance(rows[0]);
  // A constant vote has no children, so it can only be placed where its gain allows.
  std::vector<std::size_t> order;  // of the cuts
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    if (!tree.nodes[i].leaf()) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return tree.nodes[a].left < tree.nodes[b].left; });
  std::set<std::size_t> open{0};
  for (const std::size_t i : order) {
    const GrownNode& node = tree.nodes[i];
    expect_best_split(trial, node, rows[i]);
    EXPECT_TRUE(open.contains(i));
    EXPECT_GT(gains[i], -tolerance);
    for (const std::size_t other : open) {
      if (!trial.growth.best_first || tree.nodes[other].revoted) continue;
      EXPECT_LE(gains[other], gains[i] + tolerance);
    }
    open.erase(i);
    open.insert(static_cast<std::size_t>(node.left));
    open.insert(static_cast<std::size_t>(node.right));
  }
  const auto revoted = static_cast<std::size_t>(
      std::count_if(tree.nodes.begin(), tree.nodes.end(), [](const auto& n) { return n.revoted; }));
  const bool full = trial.growth.max_leaves > 0 &&
                    open.size() + revoted >= static_cast<std::size_t>(trial.growth.max_leaves);
  for (const std::size_t i : open) {
    const GrownNode& node = tree.nodes[i];
    const bool deep = trial.growth.max_depth > 0 && node.depth >= trial.growth.max_depth;
    if (node.revoted) {
      EXPECT_NEAR(gains[i], static_cast<double>(node.gain) * trial.unit(), tolerance);
    } else if (!full && !deep) {
      EXPECT_LE(gains[i], tolerance) << "node " << i;
    }
  }
}

TEST_P(NaiveTwin, TreesAreRepeatedNaiveSplitting) {
  for (std::uint64_t seed = 0; seed < 600 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Trial trial(GetParam(), seed + 10'000);
    trial.growth.best_first = seed % 2 == 0;
    trial.growth.max_depth = trial.growth.best_first ? 0 : 3;
    trial.growth.max_leaves = trial.growth.best_first ? 2 + static_cast<int>(seed / 2 % 9) : 0;
    if (seed % 3 == 0) trial.growth.histogram_memory = 1e-9;
    TreeGrower grower(trial.data, {trial.data.rows(), 1}, trial.growth);
    expect_naive_tree(trial, grower.grow(trial.stats, trial.criterion));
  }
}

// Beyond the categories that are enumerated, one channel (and two classes) has an exact order.
TEST_P(NaiveTwin, OneChannelHasTheBestSubsetOfManyCategories) {
  for (std::uint64_t seed = 0; seed < 150 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    ProblemShape shape;
    shape.rows = 80;
    shape.features = 2;
    shape.width = 1;
    shape.numbers = 1;
    shape.categories = 9 + seed % 3;
    shape.zero_weights = false;
    if (seed % 2 == 0 && GetParam() == CriterionKind::kLeastSquares) {
      shape.width = 2;
      shape.one_hot = true;
    }
    Trial trial(GetParam(), seed + 20'000, shape);
    trial.growth.max_depth = 1;
    TreeGrower grower(trial.data, {trial.data.rows(), 1}, trial.growth);
    Rows rows(shape.rows);
    std::iota(rows.begin(), rows.end(), 0U);
    expect_best_split(trial, grower.grow(trial.stats, trial.criterion).nodes[0], rows);
  }
}

std::string name_of(const ::testing::TestParamInfo<CriterionKind>& info) {
  static constexpr const char* kNames[] = {"LeastSquares", "Vote",       "Class", "Subset",
                                           "Codeword",     "Confidence", "Share"};
  return kNames[static_cast<std::size_t>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Criteria, NaiveTwin,
                         ::testing::Values(CriterionKind::kLeastSquares, CriterionKind::kVote,
                                           CriterionKind::kClass, CriterionKind::kSubset,
                                           CriterionKind::kCodeword, CriterionKind::kConfidence,
                                           CriterionKind::kShare),
                         name_of);

}  // namespace
}  // namespace simplexboost
