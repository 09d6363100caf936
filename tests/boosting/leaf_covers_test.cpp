// Covers of leaves are those of the training rows that walk the finished trees, whoever grew them.
#include <gtest/gtest.h>

#include <vector>

#include "simplexboost/generate.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

Dataset waveform(std::size_t rows, std::uint64_t seed) {
  GeneratorSpec spec;
  spec.name = "waveform";
  spec.rows = rows;
  spec.seed = seed;
  return generate(spec);
}

Dataset rows_to_learn(bool weighted) {
  Dataset data = waveform(700, 3);
  for (std::size_t i = 0; weighted && i < data.rows; ++i)
    data.weights.push_back(0.25 + static_cast<double>(i % 7));
  return data;
}

void expect_covers_of(const Model& model, const Dataset& data, const std::string& name) {
  const Forest& forest = model.forest();
  const std::vector<std::uint32_t> leaves = model.predict_leaves(data);
  std::vector<double> sums(forest.leaves());
  for (std::size_t i = 0; i < data.rows; ++i)
    for (std::size_t t = 0; t < forest.trees.size(); ++t)
      sums[forest.trees[t].node_begin + t + leaves[i * forest.trees.size() + t]] +=
          data.weights.empty() ? 1 : data.weights[i];
  ASSERT_EQ(forest.leaf_cover.size(), sums.size()) << name;
  // Weights are scaled by a power of two at most.
  const double unit =
      data.weights.empty() ? 1 : static_cast<double>(forest.leaf_cover[0]) / sums[0];
  for (std::size_t i = 0; i < sums.size(); ++i)
    ASSERT_NEAR(forest.leaf_cover[i], unit * sums[i], 1e-5 * unit * sums[i]) << name << " " << i;
}

TEST(LeafCovers, AreOfTheRowsThatReachEachLeaf) {
  for (const bool weighted : {false, true})
    for (const char* const name :
         {"newton", "adaboost-mh", "samme", "logitboost", "aoso-logitboost", "dmcboost",
          "one-vs-all", "all-pairs", "adaboost-ecc"}) {
      const Dataset data = rows_to_learn(weighted);
      Parameters parameters;
      parameters.algorithm = name;
      parameters.rounds = 3;
      parameters.threads = 2;
      expect_covers_of(train(data, parameters), data, name);
    }
}

TEST(LeafCovers, AreThereForProductsLinearLearnersAndSamples) {
  const Dataset data = rows_to_learn(true);
  Parameters parameters;
  parameters.algorithm = "adaboost-mh";
  parameters.learner = "hamming-product";
  parameters.rounds = 4;
  expect_covers_of(train(data, parameters), data, "product");
  parameters.algorithm = "gd-mcboost";
  parameters.learner = "linear";
  expect_covers_of(train(data, parameters), data, "linear");
  parameters.algorithm = "newton";
  parameters.learner = "auto";
  parameters.row_fraction = 0.5;
  expect_covers_of(train(data, parameters), data, "a share of the rows");
}

// Of a forest, those that its trees drew: they sum to the same for every tree.
TEST(LeafCovers, OfForestsAreOfTheRowsDrawn) {
  const Dataset data = rows_to_learn(false);
  Parameters parameters;
  parameters.algorithm = "forest";
  parameters.rounds = 4;
  const Model model = train(data, parameters);
  const Forest& forest = model.forest();
  ASSERT_EQ(forest.leaf_cover.size(), forest.leaves());
  for (std::size_t t = 0; t < forest.trees.size(); ++t) {
    double sum = 0;
    for (std::size_t leaf = 0; leaf < forest.trees[t].leaves; ++leaf)
      sum += static_cast<double>(forest.leaf_cover[forest.trees[t].node_begin + t + leaf]);
    EXPECT_EQ(sum, 700) << t;
  }
}

// Training that goes on from a model without covers gives it some, and early stopping keeps those
// of the rounds that it keeps.
TEST(LeafCovers, StayWithTheirTrees) {
  const Dataset data = rows_to_learn(false);
  Parameters parameters;
  parameters.algorithm = "newton";
  parameters.rounds = 3;
  const Model first = train(data, parameters);
  parameters.rounds = 6;
  TrainOptions options;
  options.init = &first;
  expect_covers_of(train(data, parameters, options), data, "more rounds");
  const Dataset valid = waveform(100, 9);
  TrainOptions watched;
  watched.valid = &valid;
  parameters.rounds = 60;
  parameters.early_stopping = 2;
  const Model stopped = train(data, parameters, watched);
  expect_covers_of(stopped, data, "stopped early");
}

}  // namespace
}  // namespace simplexboost
