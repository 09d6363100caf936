#include "boosting/validation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/message_of.h"
#include "boosting/labelled_data.h"
#include "boosting/trainer.h"
#include "simplexboost/error.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::labelled_data;
using testing::message_of;

// Says the same of every row: 1 for a class, 0 for the others.
class ConstantLearner : public WeakLearner {
 public:
  ConstantLearner(std::size_t classes, std::size_t says) : values_(classes) { values_[says] = 1; }

  RowVectors fit(const RoundTarget& target, const Sample& /*sample*/) override {
    return of(target.rows);
  }
  void append_to(Forest& /*forest*/, double /*factor*/) const override {}
  RowVectors apply(const LearnerData& data) override { return of(data.raw.rows); }

 private:
  RowVectors of(std::size_t rows) {
    index_.assign(rows, 0);
    return {index_.data(), values_.data(), values_.size(), 0};
  }
  std::vector<float> values_;
  std::vector<std::uint32_t> index_;
};

// A training of 90 rows of three classes, and validation rows: 6, 3 and 1 of them.
struct ValidationProblem {
  Dataset train = labelled_data({90, 3, 2}, 1);
  Dataset valid = labelled_data({10, 3, 2}, 2);
  TrainOptions options = {};
  Composition chosen;
  BinnedDataset bins;
  Ensemble ensemble;

  explicit ValidationProblem(const Parameters& parameters)
      : chosen((valid.labels.codes = {0, 0, 0, 0, 0, 0, 1, 1, 1, 2}, options.valid = &valid,
                compose(train, parameters, options))),
        bins(bin_rows(train, chosen, options, nullptr)),
        ensemble(new_ensemble(train, chosen, options)) {}

  Validation validation(const std::string& prefix = "valid_") const {
    return Validation(valid, {train, bins, chosen.codebook(), chosen.problem.space}, chosen,
                      options, prefix, 0);
  }
  // The figures after a round that adds 1, times so much, to the score of a class.
  std::vector<RoundMetric> round(Validation& validation, std::size_t says, double length) const {
    ConstantLearner learner(3, says);
    validation.add(learner, {nullptr, nullptr, 3, 0}, length, LeafPrecision::kFloat32);
    std::vector<RoundMetric> metrics;
    validation.judge(ensemble, metrics);
    return metrics;
  }
};

Parameters watching(const std::string& metric, int patience = 2) {
  Parameters parameters;
  parameters.algorithm = "newton";
  parameters.early_stopping_metric = metric;
  parameters.early_stopping = patience;
  return parameters;
}

TEST(Validation, JudgesItsOwnRowsAfterEachRound) {
  const ValidationProblem problem(watching("error"));
  Validation validation = problem.validation("other_");
  std::vector<RoundMetric> metrics = problem.round(validation, 1, 1);
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_EQ(metrics[0].name, "other_error");
  EXPECT_DOUBLE_EQ(metrics[0].value, 0.7);
  EXPECT_EQ(metrics[1].name, "other_log_loss");
  metrics = problem.round(validation, 0, 3);
  EXPECT_DOUBLE_EQ(metrics[0].value, 0.4);
}

TEST(Validation, TheWatchedFigureComesLastWhereItIsNoneOfTheUsual) {
  const ValidationProblem problem(watching("top-2-error"));
  Validation validation = problem.validation();
  problem.round(validation, 0, 1);
  const std::vector<RoundMetric> metrics = problem.round(validation, 1, 0.5);
  ASSERT_EQ(metrics.size(), 3U);
  EXPECT_EQ(metrics[2].name, "valid_top_2_error");
  EXPECT_DOUBLE_EQ(metrics[2].value, 0.1) << "classes 0 and 1 have the highest scores";
  EXPECT_DOUBLE_EQ(validation.watch().values().back(), 0.1);
  const ValidationProblem risky(watching("risk"));
  Validation risk = risky.validation();
  EXPECT_EQ(risky.round(risk, 0, 1).back().name, "valid_risk");
}

TEST(Validation, IsStaleWhenTheBestRoundIsLongAgo) {
  const ValidationProblem problem(watching("error", 2));
  Validation validation = problem.validation();
  EXPECT_TRUE(validation.stops_early());
  problem.round(validation, 0, 1);  // 0.4
  EXPECT_EQ(validation.stale(), "");
  problem.round(validation, 1, 2);  // 0.7
  EXPECT_EQ(validation.stale(), "");
  problem.round(validation, 2, 4);  // 0.9
  EXPECT_EQ(validation.stale(), "no better validation error in 2 rounds");
  EXPECT_EQ(validation.watch().best_rounds(), 1U);
  problem.round(validation, 0, 8);  // 0.4: no better
  EXPECT_EQ(validation.watch().best_rounds(), 1U);
  const ValidationProblem patient(watching("error", 0));
  Validation never = patient.validation();
  for (std::size_t round = 0; round < 5; ++round) patient.round(never, 2, 1);
  EXPECT_FALSE(never.stops_early());
  EXPECT_EQ(never.stale(), "");
}

TEST(Validation, MetricsThatShallBeHighAreBestWhereTheyAreHighest) {
  const ValidationProblem problem(watching("margin-mean"));
  Validation validation = problem.validation();
  problem.round(validation, 2, 1);
  problem.round(validation, 0, 2);
  problem.round(validation, 1, 3);
  EXPECT_EQ(validation.watch().best_rounds(), 2U);
  const std::vector<double>& values = validation.watch().values();
  EXPECT_GT(values[1], std::max(values[0], values[2]));
  EXPECT_EQ(validation.watch().best_value(), values[1]);
}

void take_scores(const Model& model, Validation& validation) {
  validation.take_scores([&](ScoreBoard& board, const Dataset& data, const RowSpace&) {
    board.set(model.predict_outputs(data).values);
  });
}

TEST(Validation, GoesOnFromAModel) {
  ValidationProblem problem(watching("error", 3));
  Parameters parameters = watching("error", 3);
  parameters.rounds = 4;
  const Model model = train(problem.train, parameters, problem.options);
  Validation validation = problem.validation();
  take_scores(model, validation);
  validation.resume(model.log(), model.log().rounds());
  for (std::size_t round = 0; round < model.log().rounds(); ++round)
    EXPECT_EQ(validation.watch().values()[round], model.log().value("valid_error", round));
  // A round that adds nothing is judged by the scores of the model.
  const std::vector<RoundMetric> metrics = problem.round(validation, 0, 0);
  const std::vector<std::int32_t> said = model.predict(problem.valid);
  double wrong = 0;
  for (std::size_t i = 0; i < 10; ++i) wrong += said[i] != problem.valid.labels.codes[i] ? 0.1 : 0;
  EXPECT_NEAR(metrics[0].value, wrong, 1e-12);
  // What a log does not tell can not be the best.
  Validation unknown = problem.validation("another_");
  take_scores(model, unknown);
  unknown.resume(model.log(), 2);
  EXPECT_TRUE(std::isnan(unknown.watch().best_value()));
}

TEST(Validation, RefusesRowsOfOtherColumns) {
  ValidationProblem problem(watching("error"));
  problem.valid.columns.pop_back();
  EXPECT_NE(message_of<DataError>([&] { problem.validation(); }), "");
}

// Figures of one's own and metrics by name are logged for all sets; the first figure may decide.
TEST(Validation, LogsFiguresOfOnesOwnAndStopsByThem) {
  const Dataset train_rows = labelled_data({90, 3, 2}, 1);
  const Dataset valid = labelled_data({30, 3, 2}, 2);
  const Dataset other = labelled_data({20, 3, 2}, 3);
  std::vector<std::size_t> sets;
  TrainOptions options;
  options.valid = &valid;
  options.also_valid = {&other};
  options.metrics = {"top-2", "error"};
  options.figures = {{"mine", true, false,
                      [&](std::size_t set, const Dataset& data, const Matrix& scores) {
                        EXPECT_EQ(scores.rows, data.rows);
                        EXPECT_EQ(&data, set == 0 ? &valid : &other);
                        sets.push_back(set);
                        return sets.size() <= 4 ? static_cast<double>(sets.size()) : 0.0;
                      }},
                     {"sums", false, true, [](std::size_t, const Dataset&, const Matrix& proba) {
                        double sum = 0;
                        for (const float p : proba.values) sum += static_cast<double>(p);
                        return sum / static_cast<double>(proba.rows);
                      }}};
  options.watch_figure = true;
  Parameters parameters;
  parameters.algorithm = "newton";
  parameters.rounds = 20;
  parameters.early_stopping = 3;
  const Model model = train(train_rows, parameters, options);
  EXPECT_EQ(model.rounds(), 2U);
  EXPECT_EQ(model.log().rounds(), 5U);
  for (const char* const column : {"valid_mine", "valid_0_mine", "valid_top_2_error",
                                   "valid_0_top_2_error", "valid_error", "valid_log_loss"})
    EXPECT_EQ(model.log().column(column).size(), 5U) << column;
  for (const double sum : model.log().column("valid_0_sums")) EXPECT_NEAR(sum, 1, 1e-5);
  EXPECT_EQ(model.log().stop_reason,
            "no better validation mine in 3 rounds; kept the best, round 2");
}

TEST(Validation, SaysWhichFiguresCannotBeHad) {
  const Dataset train_rows = labelled_data({90, 3, 2}, 1);
  const Dataset valid = labelled_data({30, 3, 2}, 2);
  Parameters parameters;
  parameters.algorithm = "newton";
  parameters.rounds = 2;
  const auto zero = [](std::size_t, const Dataset&, const Matrix&) { return 0.0; };
  const auto says = [&](std::vector<std::string> metrics, std::vector<RoundFigure> figures) {
    TrainOptions options;
    options.valid = &valid;
    options.metrics = std::move(metrics);
    options.figures = std::move(figures);
    return message_of([&] { train(train_rows, parameters, options); });
  };
  EXPECT_EQ(says({}, {{"log_loss", false, false, zero}}),
            "figures: 'log_loss' is the name of another one; call yours otherwise");
  EXPECT_EQ(says({}, {{"a", false, false, zero}, {"a", false, false, zero}}),
            "figures: 'a' is the name of another one; call yours otherwise");
  EXPECT_EQ(says({}, {{"", false, false, zero}}), "figures: each needs a name and a function");
  EXPECT_NE(says({"no-such"}, {}), "");
  EXPECT_EQ(says({}, {{"bad", false, false,
                       [](std::size_t, const Dataset&, const Matrix&) -> double {
                         throw DataError({}, "from within");
                       }}}),
            "from within");
  parameters.algorithm = "forest";
  EXPECT_EQ(says({"error"}, {}),
            "metrics: a forest is watched by error and log-loss; more can be had from the model");
}

}  // namespace
}  // namespace simplexboost
