// Chance in the rows, features, places and scores of cuts: by the seed, and by nothing else.
#include <gtest/gtest.h>

#include "base/message_of.h"
#include "boosting/labelled_data.h"
#include "boosting/parted_training.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using testing::expect_same_model;
using testing::labelled_data;
using testing::message_of;
using testing::trained_bytes;

Parameters with(const std::string& algorithm, const std::string& name, const std::string& value) {
  Parameters parameters;
  parameters.algorithm = algorithm;
  parameters.rounds = 4;
  parameters.seed = 3;
  parameters.thresholds = "best";
  if (!name.empty()) set_parameter(parameters, name, value);
  return parameters;
}

Dataset mixed(std::size_t rows = 3300) {
  return labelled_data({.rows = rows, .classes = 5, .numbers = 5, .mixed = true}, 1);
}

class Randomness : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Randomness, DependsOnTheSeedAndNotOnThreads) {
  const Dataset data = mixed();
  const auto& [name, value] = GetParam();
  Parameters parameters = with("newton", name, value);
  const std::string bytes = trained_bytes({data}, parameters);
  for (const int threads : {1, 2, 5}) {
    parameters.threads = threads;
    EXPECT_TRUE(trained_bytes({data}, parameters) == bytes) << threads << " threads";
  }
  // That the option is written in the model would make its bytes differ, too.
  const auto trees = [&](const Parameters& settings) {
    const Model model = train(data, settings, {});
    return model.predict_outputs(data, {1, 0}).values;
  };
  EXPECT_NE(trees(parameters), trees(with("newton", "", "")));
  Parameters other = parameters;
  other.seed = 4;
  EXPECT_NE(trees(parameters), trees(other));
}

TEST_P(Randomness, IsTheSameForPartedRows) {
  const Dataset data = mixed();
  const auto& [name, value] = GetParam();
  expect_same_model({data}, with("newton", name, value));
}

TEST_P(Randomness, StillLearns) {
  const Dataset data = mixed(600);
  const auto& [name, value] = GetParam();
  Parameters parameters = with("newton", name, value);
  parameters.rounds = 60;
  const Model model = train(data, parameters, {});
  EXPECT_LT(*model.log().value("train_error", 59), 0.2);
}

INSTANTIATE_TEST_SUITE_P(Options, Randomness,
                         ::testing::Values(std::pair("bootstrap", "bayesian"),
                                           std::pair("bootstrap", "plain"),
                                           std::pair("node-features", "0.5"),
                                           std::pair("thresholds", "drawn"),
                                           std::pair("split-noise", "1")));

TEST(Randomness, ServesOtherTreesToo) {
  const Dataset data = mixed(400);
  for (const char* algorithm : {"adaboost-mh", "samme", "logitboost", "aoso-logitboost", "mart"})
    for (const auto& [name, value] :
         {std::pair("thresholds", "drawn"), std::pair("node-features", "2"),
          std::pair("bootstrap", "bayesian"), std::pair("bootstrap", "plain")}) {
      const Model model = train(data, with(algorithm, name, value), {});
      EXPECT_GT(model.rounds(), 0U) << algorithm << " " << name;
    }
}

TEST(Randomness, IsRefusedWhereItHasNoPlace) {
  const Dataset data = labelled_data({60, 3, 3, false, 0.1}, 1);
  const auto message = [&](const Parameters& parameters) {
    return message_of<ParameterError>([&] { train(data, parameters, {}); });
  };
  EXPECT_NE(message(with("dmcboost", "thresholds", "drawn")).find("thresholds"), std::string::npos);
  EXPECT_NE(message(with("adaboost-mh", "split-noise", "1")).find("split-noise"),
            std::string::npos);
  EXPECT_NE(message(with("forest", "split-noise", "1")).find("split-noise"), std::string::npos);
  Parameters lines = with("newton", "node-features", "2");
  lines.learner = "linear";
  EXPECT_NE(message(lines).find("node-features"), std::string::npos);
  Parameters twice = with("samme", "resample", "weights");
  twice.bootstrap = "plain";
  EXPECT_NE(message(twice).find("bootstrap"), std::string::npos);
}

}  // namespace
}  // namespace simplexboost
