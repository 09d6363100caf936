// Hamming stumps and trees against the pseudo-code of icml2014 (Figures 2 and 3), in double
// precision on the numbers themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "tree/grower.h"
#include "tree/leaf/leaf_assignment.h"
#include "tree/leaf/leaf_rule.h"
#include "tree/random_problem.h"

namespace simplexboost {
namespace {

using testing::ProblemShape;
using testing::random_problem;
using testing::RandomProblem;
using Rows = std::vector<std::uint32_t>;

constexpr double kTolerance = 1e-5;

// (v, phi): phi is +1 where the feature is above the threshold, and everywhere if there is none.
struct Stump {
  std::size_t feature = 0;
  std::optional<double> threshold;
  std::vector<double> edges;  // classwise, of 1 phi
  double edge = 0;

  double phi(const std::vector<std::vector<double>>& x, std::uint32_t row) const {
    return !threshold || x[feature][row] > *threshold ? 1 : -1;
  }
  double vote(std::size_t l) const { return edges[l] < 0 ? -1 : 1; }
};

double norm(const std::vector<double>& edges) {
  double sum = 0;
  for (const double edge : edges) sum += std::fabs(edge);
  return sum;
}

class Pseudocode {
 public:
  Pseudocode(const RandomProblem& problem) : problem_(problem) {
    for (const Column& column : problem.data.columns) {
      x_.emplace_back(problem.data.rows);
      column.copy(0, problem.data.rows, x_.back().data());
    }
  }

  // w_{i,l} y_{i,l}
  double pull(std::uint32_t row, std::size_t l) const {
    return static_cast<double>(problem_.pulls[row * problem_.width + l]);
  }

  // Figure 3, STUMPBASE. Line 11 of BESTSTUMP reads sign(gamma*), the best edge vector.
  Stump stump_base(const Rows& rows) const {
    std::vector<double> constant(problem_.width);
    for (const std::uint32_t row : rows)
      for (std::size_t l = 0; l < problem_.width; ++l) constant[l] += pull(row, l);
    Stump best{0, {}, constant, norm(constant)};
    for (std::size_t j = 0; j < x_.size(); ++j) {
      const Stump stump = best_stump(j, rows, constant);
      if (stump.edge > best.edge) best = stump;
    }
    return best;
  }

  // The edge of a stump on some rows.
  double edge(const Stump& stump, const Rows& rows) const {
    double sum = 0;
    for (const std::uint32_t row : rows)
      for (std::size_t l = 0; l < problem_.width; ++l)
        sum += stump.vote(l) * stump.phi(x_, row) * pull(row, l);
    return sum;
  }

  // Figure 2, TREEBASE: the edge of the tree of N stumps, by the keys of those it took.
  double tree_base(int stumps) const {
    struct Open {
      double key;
      Stump stump;
      Rows rows;
    };
    Rows all(problem_.data.rows);
    std::iota(all.begin(), all.end(), 0U);
    const Stump root = stump_base(all);
    std::vector<Open> queue{{root.edge, root, all}};
    double total = 0;
    for (int j = 0; j < stumps && !queue.empty(); ++j) {
      const auto top = std::max_element(queue.begin(), queue.end(),
                                        [](const Open& a, const Open& b) { return a.key < b.key; });
      const Open node = *top;
      queue.erase(top);
      total += node.key;
      if (!node.stump.threshold) continue;  // a constant has no children
      for (const double side : {-1.0, 1.0}) {
        Rows rows;
        for (const std::uint32_t row : node.rows)
          if (node.stump.phi(x_, row) == side) rows.push_back(row);
        const Stump stump = stump_base(rows);
        queue.push_back({stump.edge - edge(node.stump, rows), stump, rows});
      }
    }
    return total;
  }

 private:
  Stump best_stump(std::size_t j, Rows rows, const std::vector<double>& constant) const {
    const std::vector<double>& s = x_[j];
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return s[a] < s[b]; });
    Stump best{j, {}, constant, norm(constant)};
    std::vector<double> edges = constant;
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
      for (std::size_t l = 0; l < edges.size(); ++l) edges[l] -= 2 * pull(rows[i], l);
      if (s[rows[i]] == s[rows[i + 1]] || norm(edges) <= best.edge) continue;
      best = {j, (s[rows[i]] + s[rows[i + 1]]) / 2, edges, norm(edges)};
    }
    return best;
  }

  const RandomProblem& problem_;
  std::vector<std::vector<double>> x_;
};

RandomProblem hamming_problem(std::uint64_t seed) {
  Random random(seed);
  ProblemShape shape;
  shape.rows = 2 + random.below(60);
  shape.features = 1 + random.below(4);
  shape.width = 2 + random.below(6);
  shape.numbers = 2 + random.below(60);
  shape.missing = false;
  RandomProblem problem = random_problem(shape, random);
  // No two cuts of the same edge.
  for (float& pull : problem.pulls) pull = static_cast<float>(random.normal());
  return problem;
}

struct Grown {
  BinnedDataset data;
  RowStats stats;
  TreeGrower grower;
  CriterionSpec criterion;
  const GrownTree& tree;
  Leaves leaves;
  std::vector<std::uint32_t> leaf_of_row;

  Grown(const RandomProblem& problem, const GrowthOptions& options)
      : data(problem.binned()),
        stats(stats_of(problem)),
        grower(data, {data.rows(), 1}, options),
        criterion(stats.criterion(CriterionKind::kVote, 0)),
        tree(grower.grow(stats, criterion)),
        leaf_of_row(data.rows()) {
    set_leaves(tree, stats, LeafRule::kVote, 0, leaves);
    assign_leaves(tree, leaves.of_node, data, 1, leaf_of_row.data());
  }

  double vote(std::uint32_t row, std::size_t l) const {
    return static_cast<double>(leaves.values[leaf_of_row[row] * stats.width() + l]);
  }
  double edge(const RandomProblem& problem) const {
    double sum = 0;
    for (std::uint32_t row = 0; row < data.rows(); ++row)
      for (std::size_t l = 0; l < stats.width(); ++l)
        sum += vote(row, l) * static_cast<double>(problem.pulls[row * stats.width() + l]);
    return sum;
  }
};

TEST(HammingStump, IsThePseudocodesStump) {
  int constants = 0;
  for (std::uint64_t seed = 0; seed < 500 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const RandomProblem problem = hamming_problem(seed);
    const Pseudocode paper(problem);
    Rows all(problem.data.rows);
    std::iota(all.begin(), all.end(), 0U);
    const Stump expected = paper.stump_base(all);
    GrowthOptions options;
    options.max_depth = 1;
    const Grown grown(problem, options);
    EXPECT_NEAR(grown.edge(problem), expected.edge, kTolerance * expected.edge);
    EXPECT_GT(grown.edge(problem), 0);
    const GrownNode& root = grown.tree.nodes[0];
    constants += expected.threshold ? 0 : 1;
    ASSERT_EQ(root.leaf(), !expected.threshold);
    if (!expected.threshold) {
      for (std::size_t l = 0; l < problem.width; ++l) EXPECT_EQ(grown.vote(0, l), expected.vote(l));
      continue;
    }
    EXPECT_EQ(root.split.feature, expected.feature);
    EXPECT_EQ(problem.bins[expected.feature].thresholds[root.split.bin], *expected.threshold);
    // The right leaf says v, the left one -v.
    for (std::size_t l = 0; l < problem.width; ++l) {
      EXPECT_EQ(grown.leaves.values[l], -expected.vote(l));
      EXPECT_EQ(grown.leaves.values[problem.width + l], expected.vote(l));
    }
  }
  EXPECT_GT(constants, 5);
}

TEST(HammingTree, IsThePseudocodesTree) {
  for (std::uint64_t seed = 0; seed < 400 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const RandomProblem problem = hamming_problem(seed + 1000);
    const Pseudocode paper(problem);
    GrowthOptions options;
    options.best_first = true;
    options.max_leaves = 2 + static_cast<int>(seed % 12);
    const Grown grown(problem, options);
    const double expected = paper.tree_base(options.max_leaves - 1);
    EXPECT_NEAR(grown.edge(problem), expected, kTolerance * expected);
  }
}

// Edges add up: the tree's is its root's stump plus the gains of the others, and the sum of what
// its leaves stand with.
TEST(HammingTree, EdgesAreAdditive) {
  for (std::uint64_t seed = 0; seed < 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const RandomProblem problem = hamming_problem(seed + 2000);
    GrowthOptions options;
    options.best_first = true;
    options.max_leaves = 2 + static_cast<int>(seed % 20);
    const Grown grown(problem, options);
    const double unit = grown.stats.pull_unit();
    double gains = 0;
    double locals = 0;
    for (const GrownNode& node : grown.tree.nodes) {
      const bool taken = !node.leaf() || node.revoted;
      if (taken) gains += static_cast<double>(node.gain) * unit;
      if (!node.leaf()) continue;
      locals += static_cast<double>(node.revoted ? node.split.score : node.current) * unit;
    }
    const double edge = grown.edge(problem);
    EXPECT_NEAR(gains, edge, kTolerance * edge);
    EXPECT_NEAR(locals, edge, kTolerance * edge);
  }
}

}  // namespace
}  // namespace simplexboost
