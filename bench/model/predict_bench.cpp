// Prediction: rows per second of models shaped like those for `letter` (16 features, 26 classes),
// for all trees and per node visited. bench/model/predict_peers.py times LightGBM likewise.
#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <utility>

#include "../machine_limits.h"
#include "base/random.h"
#include "model/model_access.h"
#include "simplexboost/model.h"

namespace simplexboost {
namespace {

constexpr std::size_t kFeatures = 16;
constexpr std::size_t kClasses = 26;
constexpr std::size_t kTrees = 200;

// Splits leaves as best-first growth would: a random leaf each time, at a random threshold within
// the box that the leaf covers, so that every leaf is reached.
void add_tree(Forest& forest, std::size_t leaves, Random& random) {
  struct Open {
    std::int32_t* place;
    std::vector<std::pair<double, double>> box;
  };
  TreeSpan tree;
  tree.node_begin = static_cast<std::uint32_t>(forest.nodes.size());
  tree.node_end = tree.node_begin + static_cast<std::uint32_t>(leaves - 1);
  tree.value_begin = forest.leaf_values.size();
  tree.leaves = static_cast<std::uint32_t>(leaves);
  tree.width = kClasses;
  std::int32_t root = -1;
  std::vector<Open> open = {{&root, std::vector<std::pair<double, double>>(kFeatures, {0, 1})}};
  for (std::int32_t i = 0; i + 1 < static_cast<std::int32_t>(leaves); ++i) {
    std::swap(open[random.below(open.size())], open.back());
    const Open parent = std::move(open.back());
    open.pop_back();
    *parent.place = i;
    Node& node = forest.nodes.emplace_back();  // capacity is reserved: pointers stay
    node.feature = static_cast<std::uint32_t>(random.below(kFeatures));
    const auto [low, high] = parent.box[node.feature];
    node.threshold = low + (high - low) * (0.3 + 0.4 * random.uniform());
    auto left = parent.box;
    auto right = parent.box;
    left[node.feature].second = node.threshold;
    right[node.feature].first = node.threshold;
    open.push_back({&node.left, std::move(left)});
    open.push_back({&node.right, std::move(right)});
  }
  for (std::size_t leaf = 0; leaf < open.size(); ++leaf)
    *open[leaf].place = ~static_cast<std::int32_t>(leaf);
  std::vector<float> values(leaves * kClasses);
  for (float& value : values) value = static_cast<float>(random.normal());
  forest.leaf_values.append(values);
  forest.trees.push_back(tree);
}

Model letter_like(std::size_t leaves) {
  Random random(1);
  auto ensemble = std::make_shared<Ensemble>();
  for (std::size_t f = 0; f < kFeatures; ++f)
    ensemble->schema.features.push_back({"x" + std::to_string(f), FeatureType::kNumeric, {}});
  for (std::size_t k = 0; k < kClasses; ++k) ensemble->schema.classes.push_back(std::to_string(k));
  ensemble->bias.assign(kClasses, 0);
  Forest& forest = ensemble->forest;
  forest.outputs = kClasses;
  forest.nodes.reserve(kTrees * (leaves - 1));
  for (std::size_t t = 0; t < kTrees; ++t) {
    add_tree(forest, leaves, random);
    forest.round_end.push_back(static_cast<std::uint32_t>(t + 1));
  }
  return make_model(ensemble);
}

Dataset uniform_data(std::size_t rows) {
  Random random(2);
  Dataset data;
  data.rows = rows;
  for (std::size_t f = 0; f < kFeatures; ++f) {
    std::vector<double> values(rows);
    for (double& x : values) x = random.uniform();
    data.columns.push_back(Column::numeric("x" + std::to_string(f), std::move(values)));
  }
  return data;
}

void predict_batch(benchmark::State& state) {
  const Model model = letter_like(static_cast<std::size_t>(state.range(0)));
  const Dataset data = uniform_data(20000);
  const PredictOptions options{static_cast<int>(state.range(1)), 0};
  // The limit: each tree's leaf added to the scores of each row, in the first cache.
  const auto adds = static_cast<double>(data.rows * kTrees * vectors_of(kClasses));
  const Limit limit(state, adds / add_rate() / options.threads);
  for (auto _ : state) benchmark::DoNotOptimize(model.predict_scores(data, options));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(data.rows));
}
BENCHMARK(predict_batch)
    ->ArgNames({"leaves", "threads"})
    ->ArgsProduct({{4, 31, 128}, {1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void predict_one_row(benchmark::State& state) {
  const Model model = letter_like(static_cast<std::size_t>(state.range(0)));
  Random random(3);
  std::vector<double> row(kFeatures);
  std::vector<float> scores(kClasses);
  for (auto _ : state) {
    for (double& x : row) x = random.uniform();
    model.predict_row(row, scores);
    benchmark::DoNotOptimize(scores.data());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(predict_one_row)
    ->ArgName("leaves")
    ->Arg(4)
    ->Arg(31)
    ->Arg(128)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace simplexboost
