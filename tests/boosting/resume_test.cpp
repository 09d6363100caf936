// Going on from a model: one run in two parts.
#include <gtest/gtest.h>

#include <string>

#include "model/ensemble.h"
#include "model/serialization.h"
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

Parameters parameters_of(const std::string& algorithm, int rounds) {
  Parameters parameters;
  parameters.algorithm = algorithm;
  parameters.rounds = rounds;
  parameters.depth = 2;
  parameters.row_fraction = 0.8;
  parameters.seed = 3;
  return parameters;
}

class Resume : public testing::TestWithParam<const char*> {};

TEST_P(Resume, GivesTheBytesOfOneRun) {
  const Dataset data = waveform();
  const Model half = train(data, parameters_of(GetParam(), 4));
  TrainOptions options;
  options.init = &half;
  const Model whole = train(data, parameters_of(GetParam(), 9), options);
  EXPECT_EQ(whole.rounds(), 9U);
  EXPECT_EQ(serialize(whole.ensemble()),
            serialize(train(data, parameters_of(GetParam(), 9)).ensemble()));
}

INSTANTIATE_TEST_SUITE_P(Algorithms, Resume,
                         testing::Values("newton", "gd-mcboost", "cd-mcboost", "cd-mcboost-cyclic",
                                         "adaboost-mh", "samme", "adaboost-m1", "adaboost-mm",
                                         "adaboost-mr"));

TEST(ResumeErrors, NameWhatDoesNotFit) {
  const Dataset data = waveform();
  const Model model = train(data, parameters_of("newton", 4));
  TrainOptions options;
  options.init = &model;
  EXPECT_THROW(train(data, parameters_of("newton", 3), options), ParameterError);
  EXPECT_THROW(train(data, parameters_of("samme", 9), options), ParameterError);
  Dataset other = data;
  other.labels.classes[0] = "another";
  EXPECT_THROW(train(other, parameters_of("newton", 9), options), DataError);
  other = data;
  other.columns.pop_back();
  EXPECT_THROW(train(other, parameters_of("newton", 9), options), ModelError);
  const Model boostma = train(data, parameters_of("boostma", 2));
  options.init = &boostma;
  EXPECT_THROW(train(data, parameters_of("boostma", 4), options), ParameterError);
}

TEST(ResumeRounds, NoMoreRoundsLeaveTheModelAsItIs) {
  const Dataset data = waveform();
  const Model model = train(data, parameters_of("gd-mcboost", 4));
  TrainOptions options;
  options.init = &model;
  EXPECT_EQ(serialize(train(data, parameters_of("gd-mcboost", 4), options).ensemble()),
            serialize(model.ensemble()));
}

}  // namespace
}  // namespace simplexboost
