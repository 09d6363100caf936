// Training on a device gives the bytes of training on the processor.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "boosting/labelled_data.h"
#include "cuda/device.h"
#include "cuda/test_device.h"
#include "simplexboost/error.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::DataShape;
using testing::labelled_data;
using testing::multi_label_data;
using testing::test_device;

using Settings = std::vector<std::pair<std::string, std::string>>;

Parameters parameters_of(const Settings& settings) {
  Parameters parameters;
  parameters.rounds = 4;
  for (const auto& [name, value] : settings) set_parameter(parameters, name, value);
  return parameters;
}

// Where two models differ first, for people.
std::string first_difference(const Model& a, const Model& b) {
  const Forest& x = a.forest();
  const Forest& y = b.forest();
  if (x.trees.size() != y.trees.size())
    return std::to_string(x.trees.size()) + " trees here, " + std::to_string(y.trees.size());
  for (std::size_t t = 0; t < x.trees.size(); ++t)
    if (x.trees[t].leaves != y.trees[t].leaves)
      return "tree " + std::to_string(t) + ": " + std::to_string(x.trees[t].leaves) +
             " leaves here, " + std::to_string(y.trees[t].leaves);
  for (std::size_t i = 0; i < x.nodes.size(); ++i)
    if (x.nodes[i].feature != y.nodes[i].feature || x.nodes[i].threshold != y.nodes[i].threshold)
      return "node " + std::to_string(i) + " cuts elsewhere";
  for (std::size_t i = 0; i < x.leaf_values.size(); ++i)
    if (x.leaf_values[i] != y.leaf_values[i])
      return "value " + std::to_string(i) + ": " + std::to_string(x.leaf_values[i]) + " here, " +
             std::to_string(y.leaf_values[i]);
  return "neither trees nor values: the log, or what is around them";
}

void expect_same(const Dataset& data, const Settings& settings, const TrainOptions& options = {}) {
  Parameters parameters = parameters_of(settings);
  parameters.threads = 2;
  const Model here = train(data, parameters, options);
  parameters.device = test_device();
  const Model there = train(data, parameters, options);
  std::string text;
  for (const auto& [name, value] : settings) text += " --" + name + " " + value;
  EXPECT_GT(here.forest().nodes.size(), 0U) << text;
  EXPECT_TRUE(here.to_bytes() == there.to_bytes())
      << text << ", " << data.rows << " rows, " << data.labels.classes.size()
      << " classes: " << first_difference(here, there);
}

Dataset weighted(Dataset data) {
  data.weights.resize(data.rows);
  for (std::size_t i = 0; i < data.rows; ++i)
    data.weights[i] = 0.25 + static_cast<double>(i * 7919 % 101) / 50;
  return data;
}

TEST(DeviceTraining, NewtonWithEveryLossAndNumberOfClasses) {
  for (const std::size_t classes : {2U, 3U, 7U, 8U, 9U, 16U, 17U, 40U}) {
    const Dataset data = labelled_data({1100, classes, 5, false, 0.1}, classes);
    for (const char* loss : {"logistic", "exponential", "savage", "tangent"})
      expect_same(data, {{"loss", loss}});
  }
}

TEST(DeviceTraining, NewtonOfWeightedRows) {
  for (const std::size_t classes : {3U, 12U}) {
    const Dataset data = weighted(labelled_data({2100, classes, 5, true, 0.1}, 2));
    for (const char* loss : {"logistic", "savage"}) {
      expect_same(data, {{"loss", loss}});
      expect_same(data, {{"loss", loss}, {"sketch", "0"}});
    }
  }
}

TEST(DeviceTraining, NewtonWithSketches) {
  const Dataset data = labelled_data({1300, 30, 6, false, 0.1}, 3);
  for (const char* sketch : {"0", "1", "2", "5", "20"}) expect_same(data, {{"sketch", sketch}});
  for (const char* kind : {"top", "sample"}) expect_same(data, {{"sketch-kind", kind}});
}

TEST(DeviceTraining, MissingValuesAndCategories) {
  const Dataset data = labelled_data({2500, 4, 9, true, 0.2}, 4);
  expect_same(data, {});
  expect_same(data, {{"categorical-splits", "one-vs-rest"}});
  expect_same(data, {{"loss", "tangent"}, {"min-rows", "40"}, {"min-weight", "3"}});
}

TEST(DeviceTraining, EveryWayToGrow) {
  const Dataset data = labelled_data({1300, 5, 11, true, 0.3}, 5);
  for (const Settings& settings : std::vector<Settings>{
           {{"leaves", "31"}},
           {{"leaves", "7"}, {"depth", "4"}},
           {{"depth", "1"}},
           {{"depth", "9"}, {"min-gain", "0.01"}},
           {{"max-bins", "17"}},
           {{"max-bins", "3000"}},
           {{"row-fraction", "0.6"}},
           {{"row-fraction", "0.3"}, {"feature-fraction", "0.4"}, {"leaves", "12"}},
           {{"node-features", "3"}},
           {{"thresholds", "drawn"}},
           {{"split-noise", "1"}},
           {{"bootstrap", "bayesian"}},
           {{"interactions", "x0,x1;x1,x2,colour"}},
           {{"monotone", "x0:+k1,x2:-k0"}},
           {{"monotone", "x0:+k1"}, {"sketch", "0"}, {"thresholds", "drawn"}},
           {{"l2", "0"}, {"learning-rate", "1"}},
           {{"leaf-precision", "bfloat16"}},
       })
    expect_same(data, settings);
}

TEST(DeviceTraining, ScoresFarAway) {
  // Full steps on few rows: some pulls leave the range of single precision.
  const Dataset data = labelled_data({60, 3, 3, false, 0}, 6);
  for (const char* loss : {"logistic", "exponential", "savage"})
    expect_same(data, {{"loss", loss}, {"l2", "0"}, {"learning-rate", "1"}, {"rounds", "40"}});
}

TEST(DeviceTraining, TreesOfOtherAlgorithms) {
  const Dataset data = labelled_data({1200, 6, 6, true, 0.2}, 7);
  for (const char* algorithm : {"gd-mcboost", "adaboost-mh", "samme", "adaboost-m1", "logitboost"})
    expect_same(data, {{"algorithm", algorithm}, {"rounds", "4"}});
  for (const char* loss : {"exponential", "savage", "tangent"})
    expect_same(data, {{"algorithm", "gd-mcboost"}, {"loss", loss}, {"rounds", "3"}});
  expect_same(data, {{"algorithm", "gd-mcboost"}, {"codewords", "maxmin"}, {"dimension", "3"}});
  expect_same(data, {{"algorithm", "samme"}, {"learner", "tree"}, {"criterion", "error"}});
  expect_same(data, {{"algorithm", "adaboost-mh"}, {"leaf-values", "confidence"}});
  expect_same(data, {{"codewords", "simplex"}});
  expect_same(data, {{"costs",
                      "0,1,2,1,1,1;1,0,1,1,1,1;1,1,0,1,1,1;3,1,1,0,1,1;1,1,1,1,0,1;"
                      "1,1,1,1,1,0"}});
  expect_same(multi_label_data({800, 5, 5, true, 0.1}, 8),
              {{"algorithm", "adaboost-mh"}, {"rounds", "4"}});
}

// As expect_same(), of rounds whose pulls and line searches are the device's.
void expect_same_whole_rounds(const Dataset& data, const Settings& settings,
                              const TrainOptions& options = {}) {
  DeviceProfile::all().set(true);
  expect_same(data, settings, options);
  const auto times = DeviceProfile::all().times();
  DeviceProfile::all().set(false);
  for (const char* kernel : {"fill pulls", "weigh pulls", "sum slopes"})
    EXPECT_TRUE(times.contains(kernel)) << kernel << " is done elsewhere, " << settings[0].second;
}

// gd-mcboost's.
Settings gradient(const Settings& more) {
  Settings settings{{"algorithm", "gd-mcboost"}, {"rounds", "4"}};
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

TEST(DeviceTraining, GradientBoostingWithEveryLossAndNumberOfClasses) {
  for (const std::size_t classes : {2U, 3U, 8U, 9U, 17U, 40U}) {
    const Dataset data = labelled_data({1100, classes, 5, false, 0.1}, classes);
    for (const char* loss : {"logistic", "exponential", "savage", "tangent"})
      expect_same_whole_rounds(data, gradient({{"loss", loss}}));
  }
  // So many that a block of their terms does not fit into what threads share.
  const Dataset data = labelled_data({1100, 450, 3, false, 0.1}, 26);
  for (const char* loss : {"logistic", "exponential"})
    expect_same_whole_rounds(data, gradient({{"loss", loss}, {"rounds", "2"}}));
}

TEST(DeviceTraining, GradientBoostingWithEveryKindOfCodewordsAndLeaves) {
  const Dataset data = labelled_data({1300, 5, 6, true, 0.2}, 21);
  for (const Settings& codewords :
       std::vector<Settings>{{{"codewords", "simplex"}},
                             {{"codewords", "canonical"}},
                             {{"codewords", "one-vs-all"}},
                             {{"codewords", "all-pairs"}},
                             {{"codewords", "random"}},
                             {{"codewords", "maxmin"}, {"dimension", "3"}}})
    for (const Settings& leaves :
         std::vector<Settings>{{},
                               {{"leaf-values", "vector"}},
                               {{"leaf-values", "vote"}, {"learner", "hamming-tree"}}}) {
      Settings settings = codewords;
      settings.insert(settings.end(), leaves.begin(), leaves.end());
      for (const char* loss : {"exponential", "logistic"}) {
        Settings all = settings;
        all.emplace_back("loss", loss);
        expect_same_whole_rounds(data, gradient(all));
      }
    }
}

TEST(DeviceTraining, GradientBoostingOfWeightedAndFewerRows) {
  const Dataset data = weighted(labelled_data({2100, 6, 5, true, 0.1}, 22));
  for (const char* loss : {"logistic", "exponential", "savage"}) {
    expect_same_whole_rounds(data, gradient({{"loss", loss}}));
    expect_same_whole_rounds(data, gradient({{"loss", loss}, {"leaf-values", "vector"}}));
  }
  expect_same_whole_rounds(data, gradient({{"row-fraction", "0.4"}, {"leaves", "9"}}));
}

TEST(DeviceTraining, GradientBoostingFarAway) {
  // Trees without a mistake take steps as long as there are.
  const Dataset data = labelled_data({60, 3, 3, false, 0}, 6);
  for (const char* loss : {"logistic", "exponential", "savage"}) {
    expect_same_whole_rounds(data, gradient({{"loss", loss}, {"rounds", "40"}, {"depth", "5"}}));
    expect_same_whole_rounds(data, gradient({{"loss", loss},
                                             {"rounds", "40"},
                                             {"depth", "5"},
                                             {"codewords", "canonical"},
                                             {"leaf-values", "vector"}}));
  }
}

TEST(DeviceTraining, GradientBoostingWatchesAndGoesOn) {
  const Dataset data = weighted(labelled_data({1500, 4, 5, true, 0.3}, 23));
  const Dataset valid = labelled_data({700, 4, 5, true, 0.3}, 24);
  for (const char* codewords : {"simplex", "canonical", "all-pairs"}) {
    TrainOptions options;
    options.valid = &valid;
    const Settings settings = gradient({{"codewords", codewords}});
    Settings longer = settings;
    longer.emplace_back("rounds", "20");
    longer.emplace_back("early-stopping", "4");
    expect_same_whole_rounds(data, longer, options);
    options.metrics = {"brier", "log-loss"};
    expect_same_whole_rounds(data, longer, options);
    const Model first = train(data, parameters_of(settings));
    TrainOptions from;
    from.init = &first;
    expect_same_whole_rounds(data, gradient({{"codewords", codewords}, {"rounds", "7"}}), from);
  }
}

TEST(DeviceTraining, WholeRoundsOfVotes) {
  const Dataset plain = labelled_data({1500, 6, 6, true, 0.2}, 27);
  const Dataset heavy = weighted(plain);
  const Dataset valid = labelled_data({700, 6, 6, true, 0.2}, 28);
  TrainOptions watched;
  watched.valid = &valid;
  for (const char* algorithm : {"samme", "adaboost-m1"})
    for (const Dataset* const data : {&plain, &heavy}) {
      DeviceProfile::all().set(true);
      for (const Settings& more : std::vector<Settings>{
               {},
               {{"depth", "4"}},
               {{"row-fraction", "0.5"}, {"leaves", "7"}},
               {{"criterion", "error"}, {"depth", "3"}},
           }) {
        Settings settings{{"algorithm", algorithm}, {"rounds", "5"}};
        settings.insert(settings.end(), more.begin(), more.end());
        expect_same(*data, settings, watched);
      }
      const Model first = train(*data, parameters_of({{"algorithm", algorithm}}));
      TrainOptions from;
      from.init = &first;
      expect_same(*data, {{"algorithm", algorithm}, {"rounds", "8"}}, from);
      const auto times = DeviceProfile::all().times();
      DeviceProfile::all().set(false);
      EXPECT_TRUE(times.contains("own pulls") && times.contains("add scores")) << algorithm;
    }
}

// Weights that are 1 in single precision alone count as what they are.
TEST(DeviceTraining, WeightsNextToOne) {
  Dataset data = labelled_data({1500, 4, 5, true, 0.3}, 25);
  data.weights.assign(data.rows, 1);
  for (std::size_t i = 0; i < data.rows; i += 3) data.weights[i] = 1 + 1e-9;
  expect_same(data, {});
  expect_same_whole_rounds(data, gradient({{"loss", "logistic"}}));
}

TEST(DeviceTraining, WatchesValidationData) {
  const Dataset data = labelled_data({1500, 4, 5, true, 0.3}, 9);
  const Dataset valid = labelled_data({700, 4, 5, true, 0.3}, 10);
  TrainOptions options;
  options.valid = &valid;
  expect_same(data, {{"rounds", "60"}, {"early-stopping", "3"}, {"learning-rate", "0.5"}}, options);
}

TEST(DeviceTraining, GoesOnFromAModel) {
  const Dataset data = weighted(labelled_data({900, 4, 5, true, 0.2}, 11));
  const Model first = train(data, parameters_of({{"rounds", "3"}}));
  TrainOptions options;
  options.init = &first;
  expect_same(data, {{"rounds", "6"}}, options);
}

// What a training with so much memory gives: a model's bytes, or what it says is wrong.
std::string bytes_by(const Dataset& data, Settings settings, const std::string& device,
                     const TrainOptions& options = {}) {
  settings.emplace_back("device", device);
  try {
    const std::vector<std::byte> bytes = train(data, parameters_of(settings), options).to_bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  } catch (const DataError& error) {
    return error.what();
  }
}

// From too little on: the least memory that trains the processor's model. All that is more does,
// too.
std::size_t least_memory(const Dataset& data, const Settings& settings,
                         const TrainOptions& options = {}) {
  const std::string wanted = bytes_by(data, settings, "cpu", options);
  std::size_t least = 0;
  std::string text;
  for (const auto& [name, value] : settings) text += " --" + name + " " + value;
  for (std::size_t memory = 20'000; memory < 8'000'000; memory += memory / 6) {
    const std::string got = bytes_by(data, settings, "emulated:" + std::to_string(memory), options);
    if (got == wanted) {
      if (least == 0) least = memory;
      continue;
    }
    EXPECT_EQ(least, 0U) << memory << " bytes" << text << ": " << got.substr(0, 200);
    EXPECT_NE(got.find("use fewer rows or --device cpu"), std::string::npos) << got.substr(0, 200);
  }
  EXPECT_GT(least, 20'000U) << text;
  return least;
}

// Histograms are filled again that have no room, pulls stay on the processor that have none, and so
// do rows, which pass through the device in blocks.
TEST(DeviceTraining, DoesWithLittleMemory) {
  if (test_device() != "emulated") GTEST_SKIP() << "a GPU has the memory that it has";
  const Dataset data = labelled_data({1500, 20, 8, true, 0.3}, 13);
  const Settings tree{{"leaves", "20"}, {"rounds", "2"}};
  for (const char* sketch : {"0", "3"}) {
    Settings settings = tree;
    settings.emplace_back("sketch", sketch);
    least_memory(data, settings);
    least_memory(weighted(data), settings);
  }
  least_memory(weighted(data), {{"sketch", "0"}, {"loss", "savage"}, {"depth", "4"}});
  const Dataset valid = labelled_data({400, 20, 8, true, 0.3}, 14);
  TrainOptions options;
  options.valid = &valid;
  least_memory(data, tree, options);
  for (const char* codewords : {"canonical", "all-pairs"})
    least_memory(weighted(data), {{"algorithm", "gd-mcboost"},
                                  {"rounds", "2"},
                                  {"codewords", codewords},
                                  {"leaf-values", "vector"}});
  least_memory(data, {{"algorithm", "gd-mcboost"}, {"rounds", "2"}}, options);
  least_memory(weighted(data), {{"algorithm", "samme"}, {"rounds", "2"}}, options);
}

// Bins and statistics of all rows would take 12,000 x (12 + 8 x 4) = 528,000 bytes and more.
TEST(DeviceTraining, PassesRowsThroughInBlocks) {
  if (test_device() != "emulated") GTEST_SKIP() << "a GPU has the memory that it has";
  const Dataset data = labelled_data({12'000, 4, 12, true, 0.2}, 15);
  const Settings small{{"rounds", "2"}, {"max-bins", "15"}};
  for (const Settings& more : std::vector<Settings>{
           {},
           {{"leaves", "25"}, {"row-fraction", "0.4"}, {"feature-fraction", "0.5"}},
           {{"max-bins", "300"}, {"learner", "tree"}, {"depth", "3"}},
           {{"node-features", "3"}, {"thresholds", "drawn"}},
           {{"algorithm", "adaboost-mh"}},
           {{"algorithm", "samme"}}}) {
    Settings settings = small;
    settings.insert(settings.end(), more.begin(), more.end());
    const std::string memory = more.size() == 3 && more[0].second == "300" ? "450000" : "150000";
    EXPECT_TRUE(bytes_by(data, settings, "cpu") == bytes_by(data, settings, "emulated:" + memory))
        << (more.empty() ? "" : more[0].first) << ": "
        << bytes_by(data, settings, "emulated:" + memory).substr(0, 200);
  }
}

TEST(DeviceTraining, SaysWhatRunsOnTheProcessor) {
  const Dataset data = labelled_data({200, 3, 4, false, 0.1}, 12);
  const auto message = [&](const Settings& settings) -> std::string {
    try {
      static_cast<void>(train(data, parameters_of(settings)));
    } catch (const ParameterError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({{"device", "emulated"}, {"algorithm", "dmcboost"}}),
            "device: dmcboost with the learner tree runs on the CPU; leave it out, or use --device "
            "cpu");
  EXPECT_NE(message({{"device", "emulated"}, {"learner", "linear"}}), "");
  EXPECT_NE(message({{"device", "emulated"}, {"algorithm", "forest"}}), "");
  for (const char* name : {"gpu", "cuda:", "cuda:x", "cuda:-1", "cuda1", "", "CUDA"})
    EXPECT_NE(message({{"device", name}}).find("expected cpu, cuda or cuda:N"), std::string::npos)
        << name;
}

// A GPU that is lost in a round says so in one line, wherever it is.
TEST(DeviceTraining, SaysThatTheDeviceIsLost) {
  const Dataset data = labelled_data({300, 4, 4, true, 0.1}, 16);
  for (const char* algorithm : {"newton", "gd-mcboost"})
    for (const int kernels : {0, 7, 40}) {
      try {
        static_cast<void>(
            train(data, parameters_of({{"algorithm", algorithm},
                                       {"device", "failing:" + std::to_string(kernels)}})));
        FAIL() << algorithm << " after " << kernels;
      } catch (const IoError& error) {
        const std::string text = error.what();
        EXPECT_TRUE(text.starts_with("the GPU failed in '")) << text;
        EXPECT_TRUE(text.ends_with("; start the program again, or use --device cpu")) << text;
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
      }
    }
}

TEST(Device, NamesTheWayOutWhereThereIsNone) {
  try {
    static_cast<void>(open_device("cuda:99"));
    FAIL();
  } catch (const ParameterError& error) {
    EXPECT_NE(std::string(error.what()).find("--device cpu"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace simplexboost
