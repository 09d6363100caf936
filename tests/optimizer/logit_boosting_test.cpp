#include "optimizer/logit_boosting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "optimizer/labelled_problem.h"

namespace simplexboost {
namespace {

using testing::LabelledProblem;
using testing::random_scores;

// The loss of a row whose class scores are these, in long doubles.
long double row_loss(const std::vector<long double>& scores, std::size_t label) {
  const long double top = *std::max_element(scores.begin(), scores.end());
  long double sum = 0;
  for (const long double f : scores) sum += std::exp(f - top);
  return std::log(sum) + top - scores[label];
}

std::vector<long double> scores_of(const std::vector<float>& scores, std::size_t row,
                                   std::size_t classes) {
  const auto begin = scores.begin() + static_cast<std::ptrdiff_t>(row * classes);
  return {begin, begin + static_cast<std::ptrdiff_t>(classes)};
}

// Slope and curvature of a row's loss as the scores move along `direction`, by differences.
struct Differences {
  double slope;
  double curvature;

  Differences(std::vector<long double> scores, std::size_t label,
              const std::vector<long double>& direction) {
    const long double step = 1e-3L;
    const auto at = [&](long double t) {
      std::vector<long double> moved = scores;
      for (std::size_t k = 0; k < moved.size(); ++k) moved[k] += t * direction[k];
      return row_loss(moved, label);
    };
    slope = static_cast<double>((at(step) - at(-step)) / (2 * step));
    curvature = static_cast<double>((at(step) - 2 * at(0) + at(-step)) / (step * step));
  }
};

// The target's pulls and weights are those derivatives, times the weights of the rows.
void expect_derivatives(const RoundTarget& target, const LabelledProblem& labelled,
                        const std::vector<float>& scores, double tolerance) {
  const std::size_t classes = labelled.labels.classes.size();
  std::vector<long double> direction(classes);
  direction[target.to.output] = 1;
  if (target.to.minus_output != kNoOutput) direction[target.to.minus_output] = -1;
  for (std::size_t i = 0; i < target.rows; ++i) {
    const auto label = static_cast<std::size_t>(labelled.labels.codes[i]);
    const Differences differences(scores_of(scores, i, classes), label, direction);
    const double weight = labelled.weights[i];
    EXPECT_NEAR(static_cast<double>(target.pulls[i]), -weight * differences.slope, tolerance);
    EXPECT_NEAR(static_cast<double>(target.weights[i]), weight * differences.curvature, tolerance);
  }
}

TEST(LogitBoosting, PullsAndCurvaturesAreDerivativesOfTheLoss) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const std::size_t classes = 2 + random.below(6);
    const LabelledProblem labelled(20, classes, random);
    const Problem problem = labelled.problem();
    const std::vector<float> scores = random_scores(20 * classes, random);
    LogitBoosting boosting(problem, {});
    boosting.target(scores.data());
    ASSERT_EQ(boosting.targets(), classes);
    for (std::size_t k = 0; k < classes; ++k) {
      const RoundTarget target = boosting.target_at(k);
      EXPECT_EQ(target.to.output, k);
      expect_derivatives(target, labelled, scores, 2e-6);
    }
  }
}

// F_b = - the sum of the others: the slope along e_k - e_b.
TEST(LogitBoosting, PairTargetsAreDerivativesUnderTheConstraint) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const std::size_t classes = 2 + random.below(6);
    const LabelledProblem labelled(20, classes, random);
    const Problem problem = labelled.problem();
    const std::vector<float> scores = random_scores(20 * classes, random);
    LogitBoosting boosting(problem, {.moves = LogitMoves::kBase, .candidates = classes});
    boosting.target(scores.data());
    ASSERT_EQ(boosting.targets(), classes * (classes - 1));
    for (std::size_t index = 0; index < boosting.targets(); ++index) {
      const RoundTarget target = boosting.target_at(index);
      ASSERT_NE(target.to.output, target.to.minus_output);
      expect_derivatives(target, labelled, scores, 4e-6);
    }
  }
}

// p of the row's class from e^-60 to 1 - e^-60.
TEST(LogitBoosting, KeepsItsDigitsWherePIsNearZeroOrOne) {
  Random random(1);
  LabelledProblem labelled(2, 3, random);
  labelled.labels.codes = {0, 0};
  labelled.weights = {1, 1};
  const Problem problem = labelled.problem();
  for (const float gap : {5.0F, 20.0F, 60.0F}) {
    LogitBoosting boosting(problem, {});
    const std::vector<float> scores = {gap, 0, 0, -gap, 0, 0};
    boosting.target(scores.data());
    const RoundTarget own = boosting.target_at(0);
    const double wrong = 2 / (std::exp(gap) + 2.0);      // 1 - p of the first row
    const double right = 1 / (1 + 2.0 * std::exp(gap));  // p of the second
    EXPECT_NEAR(own.pulls[0] / wrong, 1, 1e-5);
    EXPECT_NEAR(own.weights[0] / (wrong * (1 - wrong)), 1, 1e-5);
    EXPECT_NEAR(own.pulls[1] / (1 - right), 1, 1e-5);
    const double least = std::max(right * (1 - right), 5.9e-8);
    EXPECT_NEAR(own.weights[1] / least, 1, 2e-2);
    const double loss = (-std::log1p(-wrong) - std::log(right)) / 2;
    EXPECT_NEAR(boosting.metrics()[0].value, loss, 1e-5 * loss);
  }
}

TEST(LogitBoosting, BoundsWhatARowAsksFor) {
  Random random(2);
  const LabelledProblem labelled(50, 4, random);
  const Problem problem = labelled.problem();
  std::vector<float> scores = random_scores(200, random);
  for (float& score : scores) score *= 10;
  LogitBoosting plain(problem, {});
  LogitBoosting bounded(problem, {.bounded = true});
  plain.target(scores.data());
  bounded.target(scores.data());
  for (std::size_t k = 0; k < 4; ++k) {
    const RoundTarget a = plain.target_at(k);
    const RoundTarget b = bounded.target_at(k);
    for (std::size_t i = 0; i < 50; ++i) {
      const float most = LogitBoosting::kMostZ * a.weights[i];
      EXPECT_EQ(b.weights[i], a.weights[i]);
      EXPECT_EQ(b.pulls[i], std::clamp(a.pulls[i], -most, most));
    }
  }
}

// MART cuts by the weights of the rows and takes its values from the curvatures.
TEST(LogitBoosting, FirstOrderTargetsKeepTheCurvaturesForTheValues) {
  Random random(3);
  const LabelledProblem labelled(30, 3, random);
  const Problem problem = labelled.problem();
  const std::vector<float> scores = random_scores(90, random);
  LogitBoosting second(problem, {});
  LogitBoosting first(problem, {.second_order = false});
  second.target(scores.data());
  first.target(scores.data());
  for (std::size_t k = 0; k < 3; ++k) {
    const RoundTarget target = first.target_at(k);
    ASSERT_NE(target.leaves, nullptr);
    ASSERT_EQ(target.leaves->width(), 1U);
    AlignedVector<float> scratch;
    const LeafNumbers values = target.leaves->numbers({}, scratch);
    for (std::size_t i = 0; i < 30; ++i) {
      EXPECT_FLOAT_EQ(target.weights[i], static_cast<float>(labelled.weights[i]));
      EXPECT_EQ(target.pulls[i], second.target_at(k).pulls[i]);
      EXPECT_EQ(values.pulls[i], target.pulls[i]);
      EXPECT_EQ(values.curvature[i], second.target_at(k).weights[i]);
    }
  }
}

}  // namespace
}  // namespace simplexboost
