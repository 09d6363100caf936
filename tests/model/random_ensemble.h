// Random but sound ensembles and data sets that fit them, for the tests of the model folder.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/random.h"
#include "model/ensemble.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

struct EnsembleShape {
  std::size_t features = 6;  // every third one is categorical
  std::size_t classes = 4;
  std::size_t outputs = 4;  // equal to classes: no codewords
  std::size_t rounds = 5;
  std::size_t trees_per_round = 2;
  std::size_t max_nodes = 12;
};

inline std::vector<std::string> numbered(const std::string& stem, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(stem + std::to_string(i));
  return names;
}

inline Schema random_schema(const EnsembleShape& shape, Random& random) {
  Schema schema;
  for (std::size_t f = 0; f < shape.features; ++f) {
    FeatureSchema feature{"x" + std::to_string(f), FeatureType::kNumeric, {}};
    if (f % 3 == 2) {
      feature.type = FeatureType::kCategorical;
      feature.categories = numbered("value ", 2 + random.below(70));
    }
    schema.features.push_back(feature);
  }
  schema.classes = numbered("class ", shape.classes);
  schema.classes[0] = "\xff not UTF-8 \x01";
  schema.label_columns = {"class"};
  return schema;
}

inline Node random_node(const Schema& schema, Forest& forest, Random& random) {
  Node node;
  node.feature = static_cast<std::uint32_t>(random.below(schema.features.size()));
  node.missing_left = random.below(2) == 0;
  node.categorical = schema.features[node.feature].type == FeatureType::kCategorical;
  if (!node.categorical) {
    node.threshold = static_cast<double>(random.below(9)) / 4 - 1;  // ties with the data
    return node;
  }
  node.set = static_cast<std::uint32_t>(forest.set_words.size());
  node.set_size = static_cast<std::uint16_t>(random.below(4));
  for (std::size_t i = 0; i < node.set_size; ++i)
    forest.set_words.push_back(static_cast<std::uint32_t>(random.next()));
  return node;
}

// Splits random leaves, as best-first growth does, and appends the tree.
inline void add_random_tree(Forest& forest, const Schema& schema, std::size_t max_nodes,
                            Random& random) {
  const auto count = static_cast<std::uint32_t>(random.below(max_nodes + 1));
  TreeSpan tree;
  tree.node_begin = static_cast<std::uint32_t>(forest.nodes.size());
  tree.node_end = tree.node_begin + count;
  tree.value_begin = forest.leaf_values.size();
  tree.leaves = count + 1;
  tree.output = static_cast<std::uint32_t>(random.below(forest.outputs));
  tree.width = static_cast<std::uint32_t>(1 + random.below(forest.outputs - tree.output));
  if (tree.output >= tree.width)
    tree.minus_output = static_cast<std::uint32_t>(random.below(tree.output - tree.width + 1));
  std::vector<std::int32_t*> open;  // places of children that are still leaves
  forest.nodes.reserve(forest.nodes.size() + count);
  for (std::uint32_t i = 0; i < count; ++i) {
    forest.nodes.push_back(random_node(schema, forest, random));
    if (i > 0) {
      const std::size_t pick = random.below(open.size());
      *open[pick] = static_cast<std::int32_t>(i);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(pick));
    }
    open.push_back(&forest.nodes.back().left);
    open.push_back(&forest.nodes.back().right);
  }
  random.shuffle(open);
  for (std::size_t leaf = 0; leaf < open.size(); ++leaf)
    *open[leaf] = ~static_cast<std::int32_t>(leaf);
  std::vector<float> values(std::size_t{tree.leaves} * tree.width);
  for (float& value : values) value = static_cast<float>(random.normal());
  forest.leaf_values.append(values);
  forest.trees.push_back(tree);
}

// Gives the last tree a linear part.
inline void add_random_linear(Forest& forest, const Schema& schema, Random& random) {
  TreeSpan& tree = forest.trees.back();
  tree.linear_begin = static_cast<std::uint32_t>(forest.linear_features.size());
  tree.slope_begin = forest.slopes.size();
  for (std::uint32_t f = 0; f < schema.features.size(); ++f) {
    if (schema.features[f].type != FeatureType::kNumeric || random.below(2) == 0) continue;
    LinearFeature linear{f, -random.uniform(), random.uniform() + 0.01, 0,
                         static_cast<float>(random.uniform())};
    linear.center = linear.low + random.uniform() * (linear.high - linear.low) / 2;
    forest.linear_features.push_back(linear);
    for (std::size_t c = 0; c < tree.width; ++c)
      forest.slopes.push_back(static_cast<float>(random.normal()));
  }
  tree.linear_end = static_cast<std::uint32_t>(forest.linear_features.size());
  if (tree.linear()) return;
  tree.linear_begin = tree.linear_end = 0;
  tree.slope_begin = 0;
}

inline Ensemble random_ensemble(const EnsembleShape& shape, std::uint64_t seed) {
  Random random(seed);
  Ensemble ensemble;
  ensemble.algorithm = "samme";
  ensemble.parameters = {{"depth", "3"}, {"rounds", std::to_string(shape.rounds)}};
  ensemble.schema = random_schema(shape, random);
  ensemble.link = random.below(2) == 0 ? Link::kSoftmax : Link::kLogistic;
  ensemble.link_scale = 0.5 + random.uniform();
  if (ensemble.link == Link::kLogistic && seed % 5 == 1) ensemble.link_shift = random.normal();
  Forest& forest = ensemble.forest;
  forest.outputs = static_cast<std::uint32_t>(shape.outputs);
  if (seed % 3 == 2) forest.leaf_values = LeafValues(LeafPrecision::kBfloat16);
  for (std::size_t i = 0; i < shape.outputs; ++i)
    ensemble.bias.push_back(static_cast<float>(random.normal()));
  // Some of those that can be are simplices.
  ensemble.simplex = shape.outputs + 1 == shape.classes && seed % 4 == 3;
  if (shape.outputs != shape.classes && !ensemble.simplex)
    for (std::size_t i = 0; i < shape.outputs * shape.classes; ++i)
      ensemble.codewords.push_back(static_cast<float>(random.normal()));
  for (std::size_t r = 0; r < shape.rounds; ++r) {
    for (std::size_t t = 0; t < shape.trees_per_round; ++t) {
      add_random_tree(forest, ensemble.schema, shape.max_nodes, random);
      if (random.below(3) == 0) add_random_linear(forest, ensemble.schema, random);
    }
    forest.round_end.push_back(static_cast<std::uint32_t>(forest.trees.size()));
  }
  for (std::size_t i = 0; i < forest.nodes.size(); ++i)
    forest.node_gain.push_back(static_cast<float>(random.uniform()));
  if (seed % 2 == 0)
    for (std::size_t i = 0; i < forest.leaves(); ++i)
      forest.leaf_cover.push_back(static_cast<float>(random.below(9)));
  ensemble.log.columns = {"train_error", "step"};
  for (std::size_t i = 0; i < 2 * shape.rounds; ++i)
    ensemble.log.values.push_back(random.uniform());
  ensemble.log.stop_reason = "all rounds done";
  ensemble.log.margins = MarginSummary{-1, 0.25, 0.5, 0.75, 2, 0.4, {3, 0, 5}};
  return ensemble;
}

// Makes the last tree sparse, with values of its own.
inline void make_sparse(Forest& forest, Random& random) {
  TreeSpan& tree = forest.trees.back();
  forest.leaf_values.resize(tree.value_begin);
  tree.value_begin = forest.entry_ends.size();
  tree.sparse = true;
  tree.minus_output = kNoOutput;
  for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf) {
    for (std::uint32_t c = 0; c < tree.width; ++c) {
      if (random.below(2) == 0) continue;
      forest.entry_outputs.push_back(c);
      forest.entry_values.push_back(static_cast<float>(random.uniform()));
    }
    forest.entry_ends.push_back(forest.entry_values.size());
  }
}

// Members of every link, some of their trees sparse, and an estimate.
inline Ensemble random_pooled_ensemble(std::uint64_t seed) {
  Random random(seed, 7);
  EnsembleShape shape{5, 3, 3, 0, 0, 0};
  Ensemble ensemble = random_ensemble(shape, 0);
  ensemble.forest.node_gain.clear();
  ensemble.forest.leaf_cover.clear();
  ensemble.log = {};
  ensemble.link = Link::kSoftmax;
  ensemble.link_shift = 0;
  ensemble.pool = seed % 2 == 0 ? Pool::kMean : Pool::kProduct;
  for (const Link link : {Link::kSoftmax, Link::kShares, Link::kLogistic, Link::kSoftmax})
    ensemble.members.push_back({"member " + std::to_string(ensemble.members.size()), link,
                                0.5 + random.uniform(), 0.1 * random.uniform(), random.uniform()});
  Forest& forest = ensemble.forest;
  forest.outputs = static_cast<std::uint32_t>(3 * ensemble.members.size());
  ensemble.bias.assign(forest.outputs, 0);
  for (std::size_t r = 0; r < 4; ++r) {
    for (int t = 0; t < 3; ++t) {
      add_random_tree(forest, ensemble.schema, 6, random);
      if (random.below(2) == 0) make_sparse(forest, random);
    }
    forest.round_end.push_back(static_cast<std::uint32_t>(forest.trees.size()));
  }
  ensemble.estimate =
      Estimate{"out-of-fold", 17, {{"error", -1, 0.25, 0.125, 0.5}, {"log-loss", 2, 1.5, 1, 2}}};
  ensemble.records = {{"the pool", 0, "", "", {{"folds", "5", "by the size of the data"}}},
                      {"member 0", 0.5, "the first", "", {{"l2", "0.3", ""}, {"leaves", "8", "x"}}},
                      {"linear", 0, "", "a trial found nothing", {}}};
  return ensemble;
}

// Numbers with ties, missing values, and category codes, some beyond every set.
inline Dataset random_data(const Schema& schema, std::size_t rows, std::uint64_t seed) {
  Random random(seed);
  Dataset data;
  data.rows = rows;
  for (const FeatureSchema& feature : schema.features) {
    std::vector<double> numbers;
    std::vector<std::int32_t> codes;
    for (std::size_t i = 0; i < rows; ++i) {
      const bool missing = random.below(8) == 0;
      const double number = static_cast<double>(random.below(17)) / 8 - 1;
      numbers.push_back(missing ? std::numeric_limits<double>::quiet_NaN() : number);
      codes.push_back(missing ? -1 : static_cast<std::int32_t>(random.below(200)));
    }
    data.columns.push_back(feature.type == FeatureType::kNumeric
                               ? Column::numeric(feature.name, numbers)
                               : Column::categorical(feature.name, codes, feature.categories));
  }
  return data;
}

}  // namespace simplexboost
