#include "simplexboost/forest.h"

#include <cassert>

namespace simplexboost::inline SIMPLEXBOOST_ABI {

void append_tree(Forest& forest, std::span<const Node> nodes, std::span<const float> leaf_values,
                 std::size_t output, std::size_t width, std::span<const float> gains) {
  assert(leaf_values.size() == (nodes.size() + 1) * width);
  assert(gains.empty() || gains.size() == nodes.size());
  TreeSpan tree;
  tree.node_begin = static_cast<std::uint32_t>(forest.nodes.size());
  tree.node_end = tree.node_begin + static_cast<std::uint32_t>(nodes.size());
  tree.value_begin = forest.leaf_values.size();
  tree.leaves = static_cast<std::uint32_t>(nodes.size() + 1);
  tree.output = static_cast<std::uint32_t>(output);
  tree.width = static_cast<std::uint32_t>(width);
  forest.trees.push_back(tree);
  forest.nodes.insert(forest.nodes.end(), nodes.begin(), nodes.end());
  forest.node_gain.insert(forest.node_gain.end(), gains.begin(), gains.end());
  forest.leaf_values.append(leaf_values);
}

void append_linear(Forest& forest, std::span<const LinearFeature> features,
                   std::span<const float> intercept, std::span<const float> slopes,
                   std::size_t output) {
  assert(slopes.size() == features.size() * intercept.size());
  append_tree(forest, {}, intercept, output, intercept.size());
  if (features.empty()) return;
  TreeSpan& tree = forest.trees.back();
  tree.linear_begin = static_cast<std::uint32_t>(forest.linear_features.size());
  tree.linear_end = tree.linear_begin + static_cast<std::uint32_t>(features.size());
  tree.slope_begin = forest.slopes.size();
  forest.linear_features.insert(forest.linear_features.end(), features.begin(), features.end());
  forest.slopes.insert(forest.slopes.end(), slopes.begin(), slopes.end());
}

void append_forest(Forest& forest, const Forest& other, double factor) {
  const auto node_offset = static_cast<std::uint32_t>(forest.nodes.size());
  const auto set_offset = static_cast<std::uint32_t>(forest.set_words.size());
  const auto linear_offset = static_cast<std::uint32_t>(forest.linear_features.size());
  for (TreeSpan tree : other.trees) {
    tree.node_begin += node_offset;
    tree.node_end += node_offset;
    tree.value_begin += forest.leaf_values.size();
    if (tree.linear()) {
      tree.linear_begin += linear_offset;
      tree.linear_end += linear_offset;
      tree.slope_begin += forest.slopes.size();
    }
    forest.trees.push_back(tree);
  }
  for (Node node : other.nodes) {
    if (node.categorical) node.set += set_offset;
    forest.nodes.push_back(node);
  }
  const auto append = [](auto& to, const auto& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(forest.set_words, other.set_words);
  append(forest.linear_features, other.linear_features);
  append(forest.node_gain, other.node_gain);
  std::vector<float> values = other.leaf_values.copy(0, other.leaf_values.size());
  for (float& value : values) value = static_cast<float>(value * factor);
  forest.leaf_values.append(values);
  for (const float slope : other.slopes)
    forest.slopes.push_back(static_cast<float>(slope * factor));
}

void spread_trees(Forest& forest, std::size_t first, std::span<const float> code) {
  if (first >= forest.trees.size()) return;
  // Every value from this one on becomes as many as the code is long.
  const auto spread = [&](std::span<const float> values) {
    std::vector<float> result;
    for (const float value : values)
      for (const float factor : code) result.push_back(value * factor);
    return result;
  };
  const std::size_t values_begin = forest.trees[first].value_begin;
  LeafValues& leaf_values = forest.leaf_values;
  const std::vector<float> values =
      spread(leaf_values.copy(values_begin, leaf_values.size() - values_begin));
  leaf_values.resize(values_begin);
  leaf_values.append(values);
  std::size_t slopes_begin = forest.slopes.size();
  for (std::size_t t = forest.trees.size(); t-- > first;)
    if (forest.trees[t].linear()) slopes_begin = forest.trees[t].slope_begin;
  const std::vector<float> slopes = spread(std::span(forest.slopes).subspan(slopes_begin));
  forest.slopes.resize(slopes_begin);
  forest.slopes.insert(forest.slopes.end(), slopes.begin(), slopes.end());
  for (std::size_t t = first; t < forest.trees.size(); ++t) {
    TreeSpan& tree = forest.trees[t];
    assert(tree.width == 1);
    tree.width = static_cast<std::uint32_t>(code.size());
    tree.value_begin = values_begin + (tree.value_begin - values_begin) * code.size();
    if (tree.linear())
      tree.slope_begin = slopes_begin + (tree.slope_begin - slopes_begin) * code.size();
  }
}

void keep_rounds(Forest& forest, std::size_t rounds) {
  assert(rounds <= forest.rounds());
  const std::size_t trees = forest.trees_of(rounds);
  forest.round_end.resize(rounds);
  if (trees == forest.trees.size()) return;
  const TreeSpan& next = forest.trees[trees];
  forest.leaf_values.resize(next.value_begin);
  forest.nodes.resize(next.node_begin);
  if (!forest.node_gain.empty()) forest.node_gain.resize(next.node_begin);
  std::size_t words = 0;
  for (const Node& node : forest.nodes)
    if (node.categorical && node.set + std::size_t{node.set_size} > words)
      words = node.set + std::size_t{node.set_size};
  forest.set_words.resize(words);
  forest.trees.resize(trees);
  std::size_t linear = 0;
  std::size_t slopes = 0;
  for (const TreeSpan& tree : forest.trees) {
    if (!tree.linear()) continue;
    linear = tree.linear_end;
    slopes = tree.slope_begin + std::size_t{tree.linear_end - tree.linear_begin} * tree.width;
  }
  forest.linear_features.resize(linear);
  forest.slopes.resize(slopes);
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
