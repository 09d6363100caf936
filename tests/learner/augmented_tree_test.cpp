#include "learner/augmented_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "boosting/labelled_data.h"
#include "boosting/training_log.h"
#include "learner/packed_hypothesis.h"
#include "simplexboost/error.h"
#include "simplexboost/train.h"
#include "tree/random_problem.h"

namespace simplexboost {
namespace {

using testing::packed_values;
using testing::ProblemShape;
using testing::random_problem;
using testing::RandomProblem;

GrowthOptions deep(int depth) {
  GrowthOptions growth;
  growth.max_depth = depth;
  return growth;
}

// The tree of its definition: every value of every feature is tried, and every set of classes.
class NaivePairs {
 public:
  NaivePairs(const RandomProblem& problem, const BinnedDataset& data, int depth)
      : problem_(problem), data_(data), depth_(depth), votes(problem.data.rows * problem.width) {
    std::vector<std::size_t> rows(problem.data.rows);
    std::vector<std::size_t> classes(problem.width);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::iota(classes.begin(), classes.end(), std::size_t{0});
    grow(rows, classes, 0);
  }

 private:
  using Set = std::vector<std::size_t>;

  double sum(const Set& rows, const Set& classes) const {
    double total = 0;
    for (const std::size_t i : rows)
      for (const std::size_t l : classes)
        total += static_cast<double>(problem_.pulls[i * problem_.width + l]);
    return total;
  }
  struct Best {
    Set rows[2];
    Set classes[2];
    double edge = -1;
  };
  void consider(const Set (&rows)[2], const Set (&classes)[2], Best& best) const {
    for (const int side : {0, 1})
      if (rows[side].empty() || classes[side].empty()) return;
    const double edge = std::fabs(sum(rows[0], classes[0])) + std::fabs(sum(rows[1], classes[1]));
    if (edge <= best.edge + 1e-9) return;
    best.edge = edge;
    for (const int side : {0, 1}) {
      best.rows[side] = rows[side];
      best.classes[side] = classes[side];
    }
  }

  void grow(const Set& rows, const Set& classes, int depth) {
    const double all = sum(rows, classes);
    Best best;
    if (depth < depth_) {
      for (unsigned set = 1; set + 1 < 1U << classes.size(); ++set) {
        Set parts[2];
        for (std::size_t j = 0; j < classes.size(); ++j) parts[set >> j & 1U].push_back(classes[j]);
        consider({rows, rows}, {parts[0], parts[1]}, best);
      }
      for (std::size_t f = 0; f < data_.features(); ++f) try_feature(f, rows, classes, best);
    }
    if (best.edge > std::fabs(all) + 1e-6) {
      for (const int side : {0, 1}) grow(best.rows[side], best.classes[side], depth + 1);
      return;
    }
    for (const std::size_t i : rows)
      for (const std::size_t l : classes) votes[i * problem_.width + l] = all < 0 ? -1.0F : 1.0F;
  }

  void try_feature(std::size_t f, const Set& rows, const Set& classes, Best& best) const {
    data_.visit([&]<class Bin>(const Bin*) {
      const auto bins = data_.values<Bin>(static_cast<std::uint32_t>(f));
      std::set<std::uint32_t> limits;
      for (const std::size_t i : rows) limits.insert(bins[i]);
      for (const std::uint32_t limit : limits) {
        Set parts[2];
        for (const std::size_t i : rows) parts[bins[i] > limit ? 1 : 0].push_back(i);
        consider({parts[0], parts[1]}, {classes, classes}, best);
      }
    });
  }

  const RandomProblem& problem_;
  const BinnedDataset& data_;
  int depth_;

 public:
  std::vector<float> votes;
};

ProblemShape numbers_only(std::uint64_t seed) {
  ProblemShape shape;
  shape.rows = 2 + seed % 30;
  shape.width = 1 + seed % 4;
  shape.categories = 0;
  shape.missing = false;
  return shape;
}

TEST(AugmentedTree, HasTheEdgeOfTheTreeOfItsDefinition) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    RandomProblem problem = random_problem(numbers_only(seed), random);
    for (float& pull : problem.pulls) pull = static_cast<float>(random.normal());  // no ties
    const BinnedDataset binned = problem.binned();
    const int depth = 1 + static_cast<int>(seed % 3);
    AugmentedTree tree(binned, {binned.rows(), 1}, deep(depth));
    const RowVectors found = tree.fit({problem.target()}, {});
    const NaivePairs naive(problem, binned, depth);
    double edge = 0;
    double expected = 0;
    for (std::size_t i = 0; i < problem.data.rows; ++i)
      for (std::size_t l = 0; l < problem.width; ++l) {
        const auto pull = static_cast<double>(problem.pulls[i * problem.width + l]);
        edge += static_cast<double>(found.of(i)[l]) * pull;
        expected += static_cast<double>(naive.votes[i * problem.width + l]) * pull;
        ASSERT_EQ(std::fabs(found.of(i)[l]), 1);
      }
    EXPECT_NEAR(edge, expected, 1e-4 * (1 + std::fabs(expected)));
  }
}

TEST(AugmentedTree, PackedItSaysTheSame) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    ProblemShape shape = numbers_only(seed);
    shape.categories = seed % 3 == 0 ? 5 : 0;
    const RandomProblem problem = random_problem(shape, random);
    const BinnedDataset binned = problem.binned();
    AugmentedTree tree(binned, {binned.rows(), 1}, deep(1 + static_cast<int>(seed % 4)));
    const RowVectors fitted = tree.fit({problem.target()}, {});
    const Matrix packed = packed_values(tree, problem.data, shape.width, 0.5);
    for (std::size_t i = 0; i < shape.rows; ++i)
      for (std::size_t l = 0; l < shape.width; ++l)
        ASSERT_EQ(packed.row(i)[l], 0.5F * fitted.of(i)[l]) << seed;
  }
}

// nips2011 has stumps on pairs in its Table 1: they say a(x) + b(y).
TEST(AugmentedTree, StumpsNameTheSameClassForAllRows) {
  const Dataset data = testing::labelled_data({300, 4, 3, false, 0.1}, 5);
  const Model model = train(data, testing::every_cut("adaboost-mh", "augmented-stump", 30));
  const std::vector<std::int32_t> found = model.predict(data);
  EXPECT_EQ(std::set<std::int32_t>(found.begin(), found.end()).size(), 1U);
  const Model trees = train(data, testing::every_cut("adaboost-mh", "augmented-tree", 30));
  EXPECT_LT(testing::error_of(trees, data), 0.3);
}

TEST(AugmentedTree, RefusesTreesThatWouldBeTooLarge) {
  const Dataset data = testing::labelled_data({50, 3, 2, false, 0.1}, 5);
  Parameters wanted = testing::every_cut("adaboost-mh", "augmented-tree", 2);
  wanted.depth = 5;
  EXPECT_THROW(train(data, wanted), ParameterError);
  wanted.depth = 0;
  wanted.leaves = 4;
  EXPECT_THROW(train(data, wanted), ParameterError);
}

}  // namespace
}  // namespace simplexboost
