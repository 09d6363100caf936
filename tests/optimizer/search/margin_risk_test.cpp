#include "optimizer/search/margin_risk.h"

#include <gtest/gtest.h>

#include <cmath>

#include "optimizer/labelled_problem.h"

namespace simplexboost {
namespace {

using testing::CodewordHypothesis;
using testing::LabelledProblem;
using testing::random_scores;

class EveryRisk : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryRisk, ExactStepIsTheLowestPointOfAFineGrid) {
  Random random(1);
  for (const std::size_t classes : {2U, 3U, 6U}) {
    const LabelledProblem rows(150, classes, random);
    const Problem problem = rows.problem();
    const Codebook book = Codebook::simplex(classes);
    const auto loss = make_loss(GetParam());
    MarginRisk risk(problem, book, *loss);
    const std::vector<float> scores = random_scores(150 * book.dimension(), random);
    risk.set_scores(scores.data());
    const CodewordHypothesis hypothesis(book, rows.labels, random);
    risk.set_direction(hypothesis.vectors());
    const ExactStep exact = risk.exact_step(1, 0);
    ASSERT_GT(exact.edge, 0);
    double best = 0;
    for (int i = 1; i <= 2000; ++i) {
      const double step = 0.005 * i;
      if (risk.risk_at(step, 0).value < risk.risk_at(best, 0).value) best = step;
    }
    EXPECT_NEAR(exact.length, best, 0.01) << classes << " classes";
  }
}

TEST_P(EveryRisk, EdgeIsTheSlopeOfTheRisk) {
  Random random(2);
  const LabelledProblem rows(400, 4, random);
  const Problem problem = rows.problem();
  const Codebook book = Codebook::simplex(4);
  const auto loss = make_loss(GetParam());
  MarginRisk risk(problem, book, *loss);
  const std::vector<float> scores = random_scores(400 * book.dimension(), random);
  risk.set_scores(scores.data());
  const CodewordHypothesis hypothesis(book, rows.labels, random);
  risk.set_direction(hypothesis.vectors());
  constexpr double kStep = 1e-2;
  const double slope = (risk.risk_at(-kStep, 0).value - risk.risk_at(kStep, 0).value) / (2 * kStep);
  EXPECT_NEAR(risk.edge(0), slope, 1e-3 * slope);
  EXPECT_NEAR(risk.descent_at(0, 0), slope, 1e-3 * slope);
}

// Rows that pull a constant hypothesis apart with equal force: all that is left is rounding.
TEST_P(EveryRisk, TakesNoEdgeFromRounding) {
  for (const std::size_t classes : {2U, 3U, 5U, 7U}) {
    Random random(3);
    LabelledProblem rows(100 * classes, classes, random);
    for (std::size_t i = 0; i < rows.labels.codes.size(); ++i)
      rows.labels.codes[i] = static_cast<std::int32_t>(i % classes);
    rows.weights.assign(rows.weights.size(), 0.3);
    const Problem problem = rows.problem();
    const Codebook book = Codebook::simplex(classes);
    const auto loss = make_loss(GetParam());
    MarginRisk risk(problem, book, *loss);
    const std::vector<float> scores(problem.rows() * book.dimension());
    risk.set_scores(scores.data());
    const std::vector<float> words = book.matrix();
    for (std::uint32_t k = 0; k < classes; ++k) {
      const std::vector<std::uint32_t> index(problem.rows(), k);
      risk.set_direction({index.data(), words.data(), book.dimension(), 0});
      EXPECT_EQ(risk.edge(0), 0) << classes << " classes";
      EXPECT_EQ(risk.exact_step(1, 0).length, 0);
    }
  }
}

// With weights of 1 it is the same whether they are kept or not.
TEST_P(EveryRisk, NeedsNoWeightsWhereAllAreOne) {
  Random random(4);
  LabelledProblem rows(300, 4, random);
  const Codebook book = Codebook::simplex(4);
  const auto loss = make_loss(GetParam());
  EXPECT_TRUE(MarginRisk(rows.problem(), book, *loss, false).weighted());
  rows.weights.assign(rows.weights.size(), 1);
  const Problem problem = rows.problem();
  MarginRisk kept(problem, book, *loss);
  MarginRisk saved(problem, book, *loss, false);
  EXPECT_EQ(kept.row_weights(), std::vector<float>(300, 1));
  EXPECT_TRUE(!saved.weighted() && saved.row_weights().empty());
  const std::vector<float> scores = random_scores(300 * book.dimension(), random);
  const CodewordHypothesis hypothesis(book, rows.labels, random);
  for (MarginRisk* const risk : {&kept, &saved}) {
    risk->set_scores(scores.data());
    risk->set_direction(hypothesis.vectors());
  }
  EXPECT_EQ(kept.risk().value, saved.risk().value);
  EXPECT_EQ(kept.risk_at(0.5, 0).value, saved.risk_at(0.5, 0).value);
  EXPECT_EQ(kept.exact_step(1, 0).length, saved.exact_step(1, 0).length);
  std::vector<float> values = scores;
  std::vector<float> others = scores;
  kept.weigh(values.data(), book.dimension());
  saved.weigh(others.data(), book.dimension());
  EXPECT_EQ(values, others);
}

INSTANTIATE_TEST_SUITE_P(MarginRisk, EveryRisk,
                         ::testing::Values("exponential", "logistic", "savage"),
                         [](const auto& it) { return it.param; });

}  // namespace
}  // namespace simplexboost
