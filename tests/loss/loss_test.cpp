#include "loss/loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "loss/added_loss.h"
#include "loss/sample_pairs.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using PairPointer = std::shared_ptr<const GammaPhi>;

// A problem that owns its arrays.
struct RandomProblem {
  std::size_t rows;
  std::size_t classes;
  std::vector<float> scores;
  std::vector<std::int32_t> labels;
  std::vector<float> weights;
  std::vector<float> costs;

  RandomProblem(std::size_t n, std::size_t k, float spread, unsigned seed)
      : rows(n), classes(k), scores(n * k), labels(n), weights(n), costs(k * k) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::uniform_real_distribution<float> uniform(0, 2);
    for (float& u : scores) u = spread * normal(random);
    for (std::int32_t& c : labels) c = static_cast<std::int32_t>(random() % k);
    for (float& w : weights) w = uniform(random);
    for (float& c : costs) c = random() % 5 == 0 ? 0 : uniform(random);
  }

  LossBlock block(bool weighted, bool with_costs) const {
    return {rows,
            classes,
            scores.data(),
            labels.data(),
            weighted ? weights.data() : nullptr,
            with_costs ? costs.data() : nullptr};
  }
};

// The loss of one row in double precision, by its definition; `scores` may be moved.
double naive_loss(const GammaPhi& pair, const LossBlock& block, std::size_t row,
                  const std::vector<double>& scores) {
  const auto label = static_cast<std::size_t>(block.labels[row]);
  double sum = 0;
  for (std::size_t l = 0; l < block.classes; ++l) {
    if (l == label) continue;
    const double cost = block.costs ? block.costs[label * block.classes + l] : 1;
    sum += cost * pair.phi(scores[label] - scores[l]);
  }
  return (block.weights ? block.weights[row] : 1) * pair.gamma(sum);
}

std::vector<double> row_scores(const LossBlock& block, std::size_t row) {
  const float* first = block.scores + row * block.classes;
  return {first, first + block.classes};
}

double naive_risk(const GammaPhi& pair, const LossBlock& block) {
  double risk = 0;
  for (std::size_t i = 0; i < block.rows; ++i)
    risk += naive_loss(pair, block, i, row_scores(block, i));
  return risk;
}

// The losses under test for a pair: the pair itself, and the one of the same name with a formula.
std::vector<std::shared_ptr<const Loss>> losses_of(const PairPointer& pair) {
  std::vector<std::shared_ptr<const Loss>> losses{make_loss(pair)};
  if (pair->name() == testing::added_loss()->name()) losses.push_back(testing::added_loss());
  for (const std::string_view name : loss_names())
    if (name == pair->name()) losses.push_back(make_loss(name));
  return losses;
}

struct Pulled {
  std::vector<float> pulls;
  std::vector<float> curvature;
  double log_scale;
};

Pulled pull(const Loss& loss, const LossBlock& block, int threads = 1) {
  Pulled out{std::vector<float>(block.rows * block.classes, -7),
             std::vector<float>(block.rows * block.classes, -7), 0};
  out.log_scale = class_pulls(loss, block, RowSpace(block.rows, threads), out.pulls.data(),
                              out.curvature.data());
  return out;
}

constexpr std::size_t kClassCounts[] = {2, 3, 7, 8, 9, 16, 26};

template <class Check>
void for_random_problems(const Check& check) {
  unsigned seed = 1;
  for (const std::size_t classes : kClassCounts) {
    for (const bool weighted : {false, true}) {
      for (const bool costs : {false, true}) {
        const RandomProblem problem(21, classes, 1, seed++);
        check(problem.block(weighted, costs));
      }
    }
  }
}

TEST(Loss, RiskFollowsTheDefinition) {
  for (const PairPointer& pair : sample_pairs()) {
    for (const auto& loss : losses_of(pair)) {
      SCOPED_TRACE(loss->name());
      for_random_problems([&](const LossBlock& block) {
        const double expected = naive_risk(*pair, block);
        EXPECT_NEAR(loss->risk(block).plain(), expected, 2e-6 * expected);
        EXPECT_NEAR(total_risk(*loss, block, RowSpace(block.rows, 2)).log(), std::log(expected),
                    2e-6);
      });
    }
  }
}

TEST(Loss, PullsAreMinusTheDifferencesOfTheRisk) {
  constexpr double kStep = 1e-5;
  for (const PairPointer& pair : sample_pairs()) {
    for (const auto& loss : losses_of(pair)) {
      SCOPED_TRACE(loss->name());
      for_random_problems([&](const LossBlock& block) {
        const Pulled out = pull(*loss, block);
        ASSERT_EQ(out.log_scale, 0);
        for (std::size_t i = 0; i < block.rows; ++i) {
          for (std::size_t k = 0; k < block.classes; ++k) {
            std::vector<double> u = row_scores(block, i);
            u[k] += kStep;
            const double above = naive_loss(*pair, block, i, u);
            u[k] -= 2 * kStep;
            const double below = naive_loss(*pair, block, i, u);
            const double slope = (above - below) / (2 * kStep);
            const double scale =
                std::abs(out.pulls[i * block.classes + static_cast<std::size_t>(block.labels[i])]);
            EXPECT_NEAR(out.pulls[i * block.classes + k], -slope, 3e-6 * (1 + scale));
          }
        }
      });
    }
  }
}

// Where the loss is convex along the coordinate, exactly; elsewhere positive and above it.
TEST(Loss, CurvaturesAreTheSecondDifferencesOfTheRiskOrAPositiveBound) {
  constexpr double kStep = 1e-3;
  for (const PairPointer& pair : sample_pairs()) {
    for (const auto& loss : losses_of(pair)) {
      SCOPED_TRACE(loss->name());
      for_random_problems([&](const LossBlock& block) {
        const Pulled out = pull(*loss, block);
        for (std::size_t i = 0; i < block.rows; ++i) {
          for (std::size_t k = 0; k < block.classes; ++k) {
            std::vector<double> u = row_scores(block, i);
            const double here = naive_loss(*pair, block, i, u);
            u[k] += kStep;
            const double above = naive_loss(*pair, block, i, u);
            u[k] -= 2 * kStep;
            const double below = naive_loss(*pair, block, i, u);
            const double exact = (above - 2 * here + below) / (kStep * kStep);
            const double found = out.curvature[i * block.classes + k];
            const double tolerance = 2e-5 * (1 + std::abs(exact) + here);
            EXPECT_GE(found, exact - tolerance);
            EXPECT_GE(found, 0);
            if (out.pulls[i * block.classes + k] != 0) {
              EXPECT_GT(found, 0);
            }
            if (pair->name() != "savage" && pair->name() != "root") {
              EXPECT_NEAR(found, exact, tolerance + 0.02 * here);
            }
          }
        }
      });
    }
  }
}

// Right by more than log(2)/2 in sum: sigma < 1/2, where Savage's curvature is exact.
TEST(Loss, SavageCurvatureIsExactWhereTheLossIsConvexInTheLogisticLoss) {
  const std::vector<float> scores{2, 0.3F, -0.2F, 0.1F};
  const std::vector<std::int32_t> labels{0};
  const LossBlock block{1, 4, scores.data(), labels.data()};
  const Pulled out = pull(*make_loss("savage"), block);
  const SavagePair pair;
  for (std::size_t k = 0; k < 4; ++k) {
    constexpr double kStep = 1e-3;
    std::vector<double> u = row_scores(block, 0);
    const double here = naive_loss(pair, block, 0, u);
    u[k] += kStep;
    const double above = naive_loss(pair, block, 0, u);
    u[k] -= 2 * kStep;
    const double below = naive_loss(pair, block, 0, u);
    const double exact = (above - 2 * here + below) / (kStep * kStep);
    EXPECT_NEAR(out.curvature[k], exact, 1e-4 * exact) << k;
  }
}

TEST(Loss, TwoClassesGiveTheBinaryLossesOfTheMargin) {
  const std::vector<float> scores{0.7F, -0.4F};
  const double v = scores[0] - scores[1];
  for (const std::int32_t label : {0, 1}) {
    const LossBlock block{1, 2, scores.data(), &label};
    const double m = label == 0 ? v : -v;
    EXPECT_NEAR(make_loss("exponential")->risk(block).plain(), std::exp(-m), 1e-6);
    EXPECT_NEAR(make_loss("logistic")->risk(block).plain(), std::log1p(std::exp(-2 * m)), 1e-6);
    EXPECT_NEAR(make_loss("savage")->risk(block).plain(), std::pow(1 + std::exp(2 * m), -2), 1e-6);
  }
}

TEST(Loss, WeightTwoEqualsARowTwice) {
  for (const PairPointer& pair : sample_pairs()) {
    for (const auto& loss : losses_of(pair)) {
      SCOPED_TRACE(loss->name());
      RandomProblem problem(40, 5, 2, 9);
      problem.weights.assign(40, 2);
      const LossBlock plain = problem.block(false, false);
      const LossBlock doubled = problem.block(true, false);
      EXPECT_EQ(loss->risk(doubled).plain(), 2 * loss->risk(plain).plain());
      const Pulled once = pull(*loss, plain);
      const Pulled twice = pull(*loss, doubled);
      for (std::size_t at = 0; at < once.pulls.size(); ++at) {
        EXPECT_FLOAT_EQ(twice.pulls[at], 2 * once.pulls[at]);
        EXPECT_FLOAT_EQ(twice.curvature[at], 2 * once.curvature[at]);
      }
    }
  }
}

TEST(Loss, RowsOfWeightZeroChangeNothingHoweverWrongTheyAre) {
  for (const std::string_view name : loss_names()) {
    const std::vector<float> scores{500, 0, 0, 0, 1e6F, 0};
    const std::vector<std::int32_t> labels{0, 0};
    const std::vector<float> weights{1, 0};
    const LossBlock both{2, 3, scores.data(), labels.data(), weights.data()};
    const LossBlock first = both.part(0, 1);
    const auto loss = make_loss(name);
    EXPECT_EQ(loss->risk(both).log(), loss->risk(first).log());
    const Pulled out = pull(*loss, both);
    const Pulled alone = pull(*loss, first);
    EXPECT_EQ(out.log_scale, alone.log_scale);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(out.pulls[k], alone.pulls[k]);
      EXPECT_EQ(out.pulls[3 + k], 0);
      EXPECT_EQ(out.curvature[3 + k], 0);
    }
  }
}

class AnySize : public ::testing::TestWithParam<float> {};

TEST_P(AnySize, RiskPullsAndCurvaturesStayFinite) {
  for (const PairPointer& pair : sample_pairs()) {
    for (const auto& loss : losses_of(pair)) {
      SCOPED_TRACE(loss->name());
      const RandomProblem problem(100, 5, GetParam(), 3);
      const LossBlock block = problem.block(true, false);
      EXPECT_TRUE(std::isfinite(loss->risk(block).log()));
      const Pulled out = pull(*loss, block);
      float most = 0;
      for (std::size_t at = 0; at < out.pulls.size(); ++at) {
        ASSERT_TRUE(std::isfinite(out.pulls[at]));
        ASSERT_TRUE(std::isfinite(out.curvature[at]));
        ASSERT_GE(out.curvature[at], 0);
        most = std::max(most, std::abs(out.pulls[at]));
      }
      EXPECT_GT(most, 0);
    }
  }
}

// All rows right: the weights are e^-(margin) small, and still there.
TEST_P(AnySize, PullsOfWellFittedRowsDoNotVanish) {
  for (const PairPointer& pair : sample_pairs()) {
    for (const auto& loss : losses_of(pair)) {
      SCOPED_TRACE(loss->name());
      RandomProblem problem(100, 5, 1, 3);
      for (std::size_t i = 0; i < problem.rows; ++i)
        problem.scores[i * 5 + static_cast<std::size_t>(problem.labels[i])] += GetParam();
      const Pulled out = pull(*loss, problem.block(true, false));
      float most = 0;
      for (const float p : out.pulls) most = std::max(most, std::abs(p));
      EXPECT_GT(most, 1e-3);
      EXPECT_TRUE(std::isfinite(most));
      EXPECT_TRUE(std::isfinite(loss->risk(problem.block(true, false)).log()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Loss, AnySize, ::testing::Values(0.0F, 1.0F, 1e2F, 1e3F, 1e4F, 1e6F));

TEST(Loss, LogRiskIsRightFarBeyondTheRangeOfDouble) {
  for (const float margin : {-5000.0F, 5000.0F}) {
    const std::vector<float> scores{margin, 0, 0};
    const std::int32_t label = 0;
    const LossBlock block{1, 3, scores.data(), &label};
    EXPECT_NEAR(make_loss("exponential")->risk(block).log(), std::log(2) - margin, 1e-3);
    const double logistic = make_loss("logistic")->risk(block).log();
    EXPECT_NEAR(logistic, margin > 0 ? std::log(2) - 2 * margin : std::log(std::log(2) + 1e4),
                1e-3);
    EXPECT_NEAR(make_loss("savage")->risk(block).log(),
                margin > 0 ? 2 * std::log(2) - 4 * margin : 0, 1e-3);
  }
}

// P exp(log_scale) must be the same whatever the scale: compare with a shift of all margins, which
// multiplies the exponential loss by a constant.
TEST(Loss, ScaledPullsOfTheExponentialLossAreTheShiftedOnes) {
  RandomProblem problem(50, 4, 1, 5);
  const auto loss = make_loss("exponential");
  const Pulled plain = pull(*loss, problem.block(false, false));
  for (std::size_t i = 0; i < problem.rows; ++i)
    problem.scores[i * 4 + static_cast<std::size_t>(problem.labels[i])] -= 1024;
  const Pulled shifted = pull(*loss, problem.block(false, false));
  ASSERT_NE(shifted.log_scale, 0);
  const double factor = std::exp(shifted.log_scale - 1024);
  for (std::size_t at = 0; at < plain.pulls.size(); ++at)
    EXPECT_NEAR(shifted.pulls[at] * factor, plain.pulls[at], 3e-4 * std::abs(plain.pulls[at]));
}

TEST(Loss, RowsWithoutAnyCostOrRivalWeighNothing) {
  const std::vector<float> scores{1, 2, 3};
  const std::vector<std::int32_t> labels{1};
  const std::vector<float> costs(9, 0);
  const std::vector<std::int32_t> only{0, 0, 0};
  for (const PairPointer& pair : sample_pairs()) {
    for (const auto& loss : losses_of(pair)) {
      for (const LossBlock& block :
           {LossBlock{1, 3, scores.data(), labels.data(), nullptr, costs.data()},
            LossBlock{3, 1, scores.data(), only.data()}}) {
        EXPECT_EQ(loss->risk(block).plain(), 0);
        const Pulled out = pull(*loss, block);
        EXPECT_EQ(out.log_scale, 0);
        for (const float p : out.pulls) EXPECT_EQ(p, 0);
        for (const float h : out.curvature) EXPECT_EQ(h, 0);
      }
    }
  }
}

TEST(Loss, ResultsDoNotDependOnThreadsOrOnTheSplitIntoBlocks) {
  for (const std::string_view name : loss_names()) {
    const RandomProblem problem(3000, 5, 3, 11);
    const LossBlock block = problem.block(true, true);
    const auto loss = make_loss(name);
    const Pulled one = pull(*loss, block, 1);
    const Pulled three = pull(*loss, block, 3);
    EXPECT_EQ(one.pulls, three.pulls);
    EXPECT_EQ(one.curvature, three.curvature);
    EXPECT_EQ(total_risk(*loss, block, RowSpace(block.rows, 1)).log(),
              total_risk(*loss, block, RowSpace(block.rows, 3)).log());
    std::vector<float> alone(5);
    for (std::size_t i = 0; i < 20; ++i) {
      loss->pulls(block.part(i, i + 1), one.log_scale, alone.data(), nullptr);
      for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(alone[k], one.pulls[i * 5 + k]);
    }
  }
}

TEST(Loss, PullsWithoutCurvatureAreTheSame) {
  const RandomProblem problem(70, 11, 2, 4);
  for (const std::string_view name : loss_names()) {
    const auto loss = make_loss(name);
    std::vector<float> pulls(std::size_t{70} * 11);
    const LossBlock block = problem.block(true, true);
    class_pulls(*loss, block, RowSpace(block.rows, 1), pulls.data(), nullptr);
    EXPECT_EQ(pulls, pull(*loss, problem.block(true, true)).pulls);
  }
}

TEST(Loss, LogisticPullsTellTheirCurvature) {
  const auto loss = make_loss("logistic");
  ASSERT_TRUE(loss->facts().curvature_from_pulls);
  for (const std::size_t classes : {2U, 7U, 8U, 9U, 26U, 50U}) {
    for (const bool costs : {false, true}) {
      const RandomProblem problem(70, classes, 3, 4);
      const auto found = pull(*loss, problem.block(false, costs));
      for (std::size_t i = 0; i < 70 * classes; ++i) {
        const double size = std::fabs(static_cast<double>(found.pulls[i]));
        EXPECT_NEAR(found.curvature[i], size * (2 - size), 1e-5);
      }
    }
  }
}

TEST(Loss, UnknownNameIsAnsweredWithTheNearest) {
  try {
    make_loss("logistik");
    FAIL();
  } catch (const ParameterError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'logistic'"), std::string::npos);
  }
}

}  // namespace
}  // namespace simplexboost
