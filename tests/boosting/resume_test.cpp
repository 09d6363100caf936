// Going on from a model: one run in two parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/message_of.h"
#include "boosting/past_model.h"
#include "boosting/training_log.h"
#include "model/file/serialization.h"
#include "model/model_access.h"
#include "simplexboost/error.h"
#include "simplexboost/generate.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

Dataset waveform() {
  GeneratorSpec spec;
  spec.name = "waveform";
  spec.rows = 300;
  return generate(spec);
}

Parameters resumable_parameters(const std::string& algorithm, int rounds) {
  Parameters parameters;
  parameters.algorithm = algorithm;
  parameters.rounds = rounds;
  parameters.depth = 2;
  parameters.row_fraction = 0.8;
  parameters.seed = 3;
  return parameters;
}

class Resume : public ::testing::TestWithParam<const char*> {};

TEST_P(Resume, GivesTheBytesOfOneRun) {
  const Dataset data = waveform();
  const Model half = train(data, resumable_parameters(GetParam(), 4));
  TrainOptions options;
  options.init = &half;
  const Model whole = train(data, resumable_parameters(GetParam(), 9), options);
  EXPECT_EQ(whole.rounds(), 9U);
  EXPECT_EQ(serialize(ensemble_of(whole)),
            serialize(ensemble_of(train(data, resumable_parameters(GetParam(), 9)))));
}

INSTANTIATE_TEST_SUITE_P(Algorithms, Resume,
                         ::testing::Values("newton", "gd-mcboost", "cd-mcboost",
                                           "cd-mcboost-cyclic", "adaboost-mh", "samme",
                                           "adaboost-m1", "adaboost-mm", "adaboost-mr",
                                           "one-vs-all", "adaboost-ecc", "adaboost-ecc-random",
                                           "grploss", "grploss-general", "dmcboost", "logitboost",
                                           "robust-logitboost", "mart", "abc-logitboost",
                                           "abc-mart", "aoso-logitboost"));

// Through both phases: what phase II stands at, how often it stalled and its steps are kept.
TEST(ResumePhases, DMCBoostGoesOnAnywhere) {
  const Dataset data = waveform();
  Parameters wanted = resumable_parameters("dmcboost", 40);
  wanted.phase_patience = 2;
  wanted.relaxation = 0.1;
  const Model whole = train(data, wanted);
  const std::vector<double> phases = testing::column(whole, "phase");
  ASSERT_EQ(phases.front(), 1);
  ASSERT_EQ(phases.back(), 2);
  for (int first = 1; first < wanted.rounds; first += 3) {
    Parameters half = wanted;
    half.rounds = first;
    const Model before = train(data, half);
    TrainOptions options;
    options.init = &before;
    EXPECT_EQ(serialize(ensemble_of(train(data, wanted, options))), serialize(ensemble_of(whole)))
        << first;
  }
}

// Its steps are divided by their sum at the end: the last digits of the past are lost.
TEST(ResumeScale, BoostMAGoesOnToWithinRounding) {
  const Dataset data = waveform();
  const Model half = train(data, resumable_parameters("boostma", 4));
  TrainOptions options;
  options.init = &half;
  const Model parts = train(data, resumable_parameters("boostma", 9), options);
  const Model whole = train(data, resumable_parameters("boostma", 9));
  EXPECT_EQ(parts.rounds(), 9U);
  EXPECT_NEAR(ensemble_of(parts).link_scale, ensemble_of(whole).link_scale, 1e-4);
  const Matrix expected = whole.predict_scores(data);
  const Matrix got = parts.predict_scores(data);
  for (std::size_t i = 0; i < expected.values.size(); ++i)
    EXPECT_NEAR(got.values[i], expected.values[i], 1e-5);
  EXPECT_EQ(testing::column(parts, "bound_20").size(), 9U);
  EXPECT_NEAR(testing::column(parts, "bound_20").back(), testing::column(whole, "bound_20").back(),
              1e-5);
}

// Two of three classes are told apart by one cut each, and end with their first hypothesis.
TEST(ResumeClasses, OneVsAllLeavesThoseAloneThatHaveEnded) {
  Dataset data = waveform();
  std::vector<double> values(data.rows);
  for (std::size_t i = 0; i < data.rows; ++i) values[i] = data.labels.codes[i];
  data.columns[0] = Column::numeric(data.columns[0].schema.name, std::move(values));
  const auto wanted = [](int rounds) {
    Parameters parameters = resumable_parameters("one-vs-all", rounds);
    parameters.depth = 1;
    parameters.row_fraction = 1;
    return parameters;
  };
  const Model whole = train(data, wanted(8));
  ASSERT_EQ(testing::column(whole, "classes").front(), 3);
  ASSERT_EQ(testing::column(whole, "classes").back(), 1);
  for (const int first : {1, 4}) {
    const Model half = train(data, wanted(first));
    TrainOptions options;
    options.init = &half;
    EXPECT_EQ(serialize(ensemble_of(train(data, wanted(8), options))),
              serialize(ensemble_of(whole)));
  }
}

TEST(ResumeClasses, OneVsAllAddsNothingWhereAllHaveEnded) {
  Dataset data = waveform();
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < data.rows; ++i)
    if (data.labels.codes[i] != 2) rows.push_back(i);
  data = select_rows(data, rows);
  data.labels.classes.pop_back();
  std::vector<double> values(data.rows);
  for (std::size_t i = 0; i < data.rows; ++i) values[i] = data.labels.codes[i];
  data.columns[0] = Column::numeric(data.columns[0].schema.name, std::move(values));
  const Model ended = train(data, resumable_parameters("one-vs-all", 5));
  ASSERT_EQ(ended.rounds(), 1U);
  TrainOptions options;
  options.init = &ended;
  const Model again = train(data, resumable_parameters("one-vs-all", 5), options);
  EXPECT_EQ(again.rounds(), 1U);
  EXPECT_NE(again.log().stop_reason.find("nothing is left to fit"), std::string::npos);
}

// A hypothesis without an error was the last, and stays it.
TEST(ResumeEnd, AddsNothingToAModelWithoutAnError) {
  Dataset data = waveform();
  std::vector<double> values(data.rows);
  for (std::size_t i = 0; i < data.rows; ++i) values[i] = data.labels.codes[i];
  data.columns[0] = Column::numeric(data.columns[0].schema.name, std::move(values));
  for (const char* algorithm :
       {"samme", "adaboost-m1", "adaboost-mm", "adaboost-mr", "adaboost-mh", "grploss"}) {
    SCOPED_TRACE(algorithm);
    Parameters wanted = resumable_parameters(algorithm, 50);
    wanted.row_fraction = 1;
    wanted.depth = 3;
    const Model ended = train(data, wanted);
    ASSERT_NE(ended.log().stop_reason.find("makes no error"), std::string::npos);
    TrainOptions options;
    options.init = &ended;
    EXPECT_EQ(serialize(ensemble_of(train(data, wanted, options))), serialize(ensemble_of(ended)));
  }
}

// Other rows, another validation set: the log has every round, and no figure where there was none.
TEST(ResumeLog, StaysInStepWithTheRounds) {
  const Dataset data = waveform();
  const Model half = train(data, resumable_parameters("samme", 4));
  TrainOptions options;
  options.init = &half;
  options.valid = &data;
  const Model watched = train(data, resumable_parameters("samme", 7), options);
  const std::vector<double> error = testing::column(watched, "valid_error");
  ASSERT_EQ(error.size(), 7U);
  EXPECT_TRUE(std::isnan(error[3]));
  EXPECT_FALSE(std::isnan(error[4]));
  EXPECT_EQ(testing::column(watched, "step")[1], testing::column(half, "step")[1]);
  options.init = &watched;
  options.valid = nullptr;
  EXPECT_EQ(serialize(ensemble_of(train(data, resumable_parameters("samme", 9), options))),
            serialize(ensemble_of(train(data, resumable_parameters("samme", 9)))));
}

TEST(ResumeErrors, RefuseAModelThatDoesNotTellItsLoss) {
  Ensemble before;
  Ensemble now;
  now.parameters["loss"] = "logistic";
  EXPECT_THROW(check_past_model(before, now, 1, "data"), ParameterError);
  before.parameters["loss"] = "logistic";
  EXPECT_NO_THROW(check_past_model(before, now, 1, "data"));
}

TEST(ResumeErrors, NameWhatDoesNotFit) {
  const Dataset data = waveform();
  const Model model = train(data, resumable_parameters("newton", 4));
  TrainOptions options;
  options.init = &model;
  EXPECT_THROW(train(data, resumable_parameters("newton", 3), options), ParameterError);
  EXPECT_THROW(train(data, resumable_parameters("samme", 9), options), ParameterError);
  Dataset other = data;
  other.labels.classes[0] = "another";
  EXPECT_THROW(train(other, resumable_parameters("newton", 9), options), DataError);
  other = data;
  other.columns.pop_back();
  EXPECT_THROW(train(other, resumable_parameters("newton", 9), options), ModelError);
}

TEST(ResumeRounds, NoMoreRoundsLeaveTheModelAsItIs) {
  const Dataset data = waveform();
  const Model model = train(data, resumable_parameters("gd-mcboost", 4));
  TrainOptions options;
  options.init = &model;
  EXPECT_EQ(serialize(ensemble_of(train(data, resumable_parameters("gd-mcboost", 4), options))),
            serialize(ensemble_of(model)));
}

// What a model's log says is an index where training goes on from it.
TEST(ResumeLog, RefusesFiguresThatCannotBe) {
  const Dataset data = waveform();
  const auto say = [&](const char* algorithm, const char* column, double value,
                       std::size_t round = 3) {
    Ensemble changed = ensemble_of(train(data, resumable_parameters(algorithm, 4)));
    TrainingLog& log = changed.log;
    const auto found = std::find(log.columns.begin(), log.columns.end(), column);
    EXPECT_NE(found, log.columns.end()) << algorithm;
    log.values[round * log.columns.size() + static_cast<std::size_t>(found - log.columns.begin())] =
        value;
    const Model before = make_model(std::move(changed));
    TrainOptions options;
    options.init = &before;
    return testing::message_of([&] { train(data, resumable_parameters(algorithm, 6), options); });
  };
  for (const double value : {1e9, -5.0, 1e300}) {
    EXPECT_NE(say("cd-mcboost", "coordinate", value).find("'coordinate'"), std::string::npos);
    EXPECT_NE(say("abc-logitboost", "base", value).find("'base'"), std::string::npos);
    EXPECT_NE(say("dmcboost", "stalled", value).find("'stalled'"), std::string::npos);
  }
  EXPECT_NE(say("samme", "step", 1e300).find("'step'"), std::string::npos);
  // In which other steps are told.
  for (const double value : {0.0, 1e-300, 1e300})
    EXPECT_NE(say("dmcboost", "step", value, 0).find("first 'step'"), std::string::npos);
}

}  // namespace
}  // namespace simplexboost
