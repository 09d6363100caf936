#include "experiment/measures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "simplexboost/generate.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

// icml2014 (15) as it stands, for every T.
StoppingTime naive_stopping_time(const std::vector<double>& errors, std::size_t least) {
  StoppingTime best{0, std::numeric_limits<double>::infinity()};
  for (std::size_t t = least + 1; t <= errors.size(); ++t) {
    double sum = 0;
    double count = 0;
    for (std::size_t s = 4 * t / 5; s <= t; ++s) {
      if (s == 0) continue;  // no error is known before the first round
      sum += errors[s - 1];
      ++count;
    }
    if (sum / count < best.error) best = {t, sum / count};
  }
  return best;
}

TEST(StoppingTimeTest, IsTheLeastSmoothedErrorOfFormula15) {
  Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> errors(51 + random.below(300));
    for (std::size_t t = 0; t < errors.size(); ++t)
      errors[t] = 1 / (1 + static_cast<double>(t)) + 0.1 * random.uniform();
    const StoppingTime naive = naive_stopping_time(errors, 50);
    const StoppingTime fast = smoothed_stopping_time(errors);
    EXPECT_EQ(fast.rounds, naive.rounds);
    EXPECT_NEAR(fast.error, naive.error, 1e-12);
  }
}

TEST(StoppingTimeTest, TakesAllOfFewRounds) {
  EXPECT_EQ(smoothed_stopping_time(std::vector<double>{0.5, 0.1, 0.4}).rounds, 3U);
  EXPECT_EQ(smoothed_stopping_time(std::vector<double>{}).rounds, 0U);
}

TEST(StoppingTimeTest, IsNotMisledByOneLuckyRound) {
  std::vector<double> errors(200, 0.3);
  errors[60] = 0;  // one round far below
  for (std::size_t t = 120; t < 200; ++t) errors[t] = 0.25;
  EXPECT_EQ(least_round(errors), 61U);
  EXPECT_GT(smoothed_stopping_time(errors).rounds, 121U);
}

TEST(RoundsTest, NineTenthsOfTheFall) {
  EXPECT_EQ(rounds_to_nine_tenths(std::vector<double>{1.0, 0.5, 0.1, 0.05, 0.0}), 3U);
  EXPECT_EQ(rounds_to_nine_tenths(std::vector<double>{0.2, 0.2}), 1U);
  EXPECT_EQ(rounds_to_nine_tenths(std::vector<double>{}), 0U);
}

class MeasureTest : public ::testing::Test {
 protected:
  MeasureTest() {
    GeneratorSpec generator;
    generator.name = "waveform";
    generator.rows = 300;
    data_ = generate(generator, 1);
    algorithm_.parameters.algorithm = "grploss";
    algorithm_.parameters.learner = "stump";
    algorithm_.parameters.rounds = 20;
    algorithm_.parameters.threads = 1;
  }

  Dataset data_;
  ExperimentAlgorithm algorithm_;
  ExperimentSpec spec_;
};

TEST_F(MeasureTest, LabelErrorsAreThoseOfTheLog) {
  const Model model = train(data_, algorithm_.parameters);
  const auto logged = model.log().column("pseudo_loss_error");
  for (const std::size_t round : {1U, 7U, 20U})
    EXPECT_NEAR(label_errors(model, data_, {1, round}).pseudo_loss, logged[round - 1], 0.004);
  algorithm_.parameters.algorithm = "boostma";
  const Model other = train(data_, algorithm_.parameters);
  EXPECT_NEAR(label_errors(other, data_, {1, 20}).maxlabel,
              other.log().column("maxlabel_error").back(), 0.004);
}

TEST_F(MeasureTest, TakesFiguresOfOneRoundChecksAllBoundsAndThinsCurves) {
  algorithm_.parameters.rounds = 500;
  const Model model = train(data_, algorithm_.parameters);
  spec_.measures = {"train_error", "bound_24", "rounds_to_90", "no_such_column"};
  spec_.curves = {"train_error"};
  algorithm_.bounds = {{"bound_24", "pseudo_loss_error"}, {"bound_13", "bound_24"}};
  CellResult cell;
  measure(spec_, algorithm_, model, data_, 3, 1, cell);
  const auto& log = model.log();
  EXPECT_DOUBLE_EQ(cell.measures.at("train_error"), 100 * log.column("train_error")[2]);
  EXPECT_DOUBLE_EQ(cell.measures.at("bound_24"), 100 * log.column("bound_24")[2]);
  EXPECT_EQ(cell.measures.count("no_such_column"), 0U);
  EXPECT_EQ(cell.bound_checks, 2 * model.rounds());
  EXPECT_EQ(cell.bounds_broken, 0U);
  ASSERT_EQ(cell.curves.at("train_error").size(), cell.curve_rounds.size());
  EXPECT_LT(cell.curve_rounds.size(), 200U);
  EXPECT_EQ(cell.curve_rounds.front(), 1U);
  EXPECT_EQ(cell.curve_rounds.back(), model.rounds());
}

TEST_F(MeasureTest, CountsBoundsThatDoNotHold) {
  const Model model = train(data_, algorithm_.parameters);
  algorithm_.bounds = {{"pseudo_loss_error", "bound_9"}};  // the wrong way round
  CellResult cell;
  measure(spec_, algorithm_, model, data_, 1, 1, cell);
  EXPECT_GT(cell.bounds_broken, 0U);
}

}  // namespace
}  // namespace simplexboost
