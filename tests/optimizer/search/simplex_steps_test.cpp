#include "optimizer/search/simplex_steps.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "codeword/codebook.h"
#include "loss/loss.h"
#include "optimizer/search/margin_risk.h"

namespace simplexboost {
namespace {

// Random scores, labels, weights, costs and votes.
struct Case {
  Labels labels;
  std::vector<double> weights;
  Problem problem;
  std::vector<float> scores;
  std::vector<std::int8_t> votes;

  Case(std::size_t classes, std::size_t rows, bool costs, std::uint64_t seed)
      : weights(rows), problem{labels, weights, RowSpace(rows, 1), classes} {
    Random random(seed);
    for (std::size_t i = 0; i < rows; ++i) {
      labels.codes.push_back(static_cast<std::int32_t>(random.below(classes)));
      weights[i] = 0.5 + random.uniform();
    }
    for (std::size_t i = 0; costs && i < classes * classes; ++i)
      problem.costs.push_back(static_cast<float>(random.below(4)));
    for (std::size_t i = 0; i < rows * (classes - 1); ++i) {
      scores.push_back(static_cast<float>(2 * random.normal()));
      votes.push_back(random.below(2) == 0 ? -1 : 1);
    }
  }

  // Coordinate j's votes as a hypothesis.
  RowVectors hypothesis(std::size_t j, std::vector<std::uint32_t>& side) const {
    static constexpr float kValues[] = {-1, 1};
    side.resize(problem.rows());
    for (std::size_t i = 0; i < problem.rows(); ++i)
      side[i] = votes[i * (problem.classes - 1) + j] > 0 ? 1 : 0;
    return {side.data(), kValues, 1, j};
  }
};

TEST(SimplexSteps, AgreeWithTheGeneralRiskAlongEveryCoordinate) {
  std::uint64_t seed = 0;
  for (const std::size_t classes : {2U, 3U, 7U})
    for (const bool costs : {false, true})
      for (const LossFacts& row : loss_table()) {
        const Case data(classes, 300, costs, ++seed);
        const std::size_t d = classes - 1;
        const Codebook codebook = Codebook::simplex(classes);
        const auto loss = make_loss(row.name);
        MarginRisk risk(data.problem, codebook, *loss);
        risk.set_scores(data.scores.data());
        SimplexSteps steps(classes, row, MarginRisk::kMostChange, RowSpace(data.problem.rows(), 2));
        ASSERT_TRUE(steps.assign(risk.all()));
        for (const double step : {0.0, 0.3, 2.5}) {
          const std::vector<double> a(d, step);
          const std::vector<double> descents = steps.descents(data.votes.data(), a);
          const std::vector<double> risks = steps.risks(data.votes.data(), a);
          for (std::size_t j = 0; j < d; ++j) {
            std::vector<std::uint32_t> side;
            risk.set_direction(data.hypothesis(j, side));
            const double expected = risk.risk_at(step, 0).value;
            EXPECT_NEAR(risks[j], expected, 1e-4 * expected) << row.name;
            EXPECT_NEAR(descents[j], risk.descent_at(step, 0), 1e-4 * expected) << row.name;
          }
        }
      }
}

TEST(SimplexSteps, FindTheCoordinateThatTheNaiveSearchFinds) {
  for (std::uint64_t seed = 100; seed < 120; ++seed)
    for (const LossFacts& row : loss_table()) {
      const std::size_t classes = 5;
      Case data(classes, 200, seed % 2 == 0, seed);
      const Codebook codebook = Codebook::simplex(classes);
      const auto loss = make_loss(row.name);
      MarginRisk risk(data.problem, codebook, *loss);
      risk.set_scores(data.scores.data());
      SimplexSteps steps(classes, row, MarginRisk::kMostChange, data.problem.space);
      ASSERT_TRUE(steps.assign(risk.all()));
      std::size_t best = 0;
      double lowest = risk.risk().plain();
      std::vector<double> risks(4);
      for (std::size_t j = 0; j < 4; ++j) {
        std::vector<std::uint32_t> side;
        risk.set_direction(data.hypothesis(j, side));
        const ExactStep found = risk.exact_step(1, 0);
        risks[j] = found.length > 0 ? risk.risk_at(found.length, 0).value : lowest + 1;
        if (risks[j] < risks[best]) best = j;
      }
      const std::size_t chosen = steps.best(data.votes.data(), {1, 1, 1, 1}).coordinate;
      EXPECT_NEAR(risks[chosen], risks[best], 1e-5 * risks[best]) << row.name << " " << seed;
    }
}

TEST(SimplexSteps, LeaveScoresBeyondPlainNumbersToOthers) {
  Case data(3, 10, false, 1);
  const Codebook codebook = Codebook::simplex(3);
  const auto loss = make_loss("exponential");
  MarginRisk risk(data.problem, codebook, *loss);
  for (float& score : data.scores) score *= 1000;
  risk.set_scores(data.scores.data());
  SimplexSteps steps(3, loss->facts(), MarginRisk::kMostChange, data.problem.space);
  EXPECT_FALSE(steps.assign(risk.all()));
}

}  // namespace
}  // namespace simplexboost
