#include "simplexboost/forest.h"

#include <algorithm>
#include <cassert>

#include "simplexboost/error.h"
#include "tree/split/category_sets.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

namespace {

// All of a tree but its leaves' values.
TreeSpan& append_nodes(Forest& forest, std::span<const Node> nodes, std::size_t output,
                       std::size_t width, std::span<const float> gains) {
  assert(gains.empty() || gains.size() == nodes.size());
  TreeSpan tree;
  tree.node_begin = static_cast<std::uint32_t>(forest.nodes.size());
  tree.node_end = tree.node_begin + static_cast<std::uint32_t>(nodes.size());
  tree.leaves = static_cast<std::uint32_t>(nodes.size() + 1);
  tree.output = static_cast<std::uint32_t>(output);
  tree.width = static_cast<std::uint32_t>(width);
  forest.nodes.insert(forest.nodes.end(), nodes.begin(), nodes.end());
  forest.node_gain.insert(forest.node_gain.end(), gains.begin(), gains.end());
  return forest.trees.emplace_back(tree);
}

template <class To, class From>
void append_all(To& to, const From& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

void append_tree(Forest& forest, std::span<const Node> nodes, std::span<const float> leaf_values,
                 std::size_t output, std::size_t width, std::span<const float> gains) {
  assert(leaf_values.size() == (nodes.size() + 1) * width);
  append_nodes(forest, nodes, output, width, gains).value_begin = forest.leaf_values.size();
  forest.leaf_values.append(leaf_values);
}

void append_tree(Forest& forest, std::span<const Node> nodes, const SparseLeaves& leaves,
                 std::size_t output, std::size_t width, std::span<const float> gains) {
  assert(leaves.ends.size() == nodes.size() + 1 && leaves.ends.back() == leaves.values.size());
  TreeSpan& tree = append_nodes(forest, nodes, output, width, gains);
  tree.value_begin = forest.entry_ends.size();
  tree.sparse = true;
  const std::uint64_t before = forest.entry_values.size();
  for (const std::uint64_t end : leaves.ends) forest.entry_ends.push_back(before + end);
  append_all(forest.entry_outputs, leaves.outputs);
  append_all(forest.entry_values, leaves.values);
}

std::vector<float> leaf_vector(const Forest& forest, const TreeSpan& tree, std::size_t leaf) {
  if (!tree.sparse)
    return forest.leaf_values.copy(tree.value_begin + leaf * tree.width, tree.width);
  std::vector<float> values(tree.width);
  const auto [begin, end] = leaf_entries(forest, tree, leaf);
  for (std::size_t e = begin; e < end; ++e)
    values[forest.entry_outputs[e]] += forest.entry_values[e];
  return values;
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

namespace {

// The tree's nodes, each with its set of categories if it has one.
void append_nodes_of(Forest& forest, const Forest& other, const TreeSpan& tree) {
  CategorySets sets(forest, tree.node_end - tree.node_begin);
  for (std::uint32_t i = tree.node_begin; i < tree.node_end; ++i) {
    Node node = other.nodes[i];
    if (node.categorical)
      sets.give(std::span(other.set_words).subspan(node.set, node.set_size), node);
    if (node.filter != kNoFilter) {
      const ImageFilter filter = other.filters[node.filter];
      node.filter = static_cast<std::uint32_t>(forest.filters.size());
      forest.filters.push_back(filter);
    }
    forest.nodes.push_back(node);
    if (!other.node_gain.empty()) forest.node_gain.push_back(other.node_gain[i]);
  }
}

// What one of several forests does not know, all of them together do not know.
void append_covers(Forest& forest, const Forest& other, const TreeSpan& tree, std::size_t number) {
  const bool known = forest.leaf_cover.size() == forest.leaves();
  if (!known || other.leaf_cover.empty()) return forest.leaf_cover.clear();
  append_all(forest.leaf_cover,
             std::span(other.leaf_cover).subspan(tree.node_begin + number, tree.leaves));
}

void append_one(Forest& forest, const Forest& other, std::size_t number, double factor,
                std::size_t output) {
  const TreeSpan& tree = other.trees[number];
  append_covers(forest, other, tree, number);
  const auto scaled = [&](float value) { return static_cast<float>(value * factor); };
  TreeSpan to = tree;
  to.node_begin = static_cast<std::uint32_t>(forest.nodes.size());
  append_nodes_of(forest, other, tree);
  to.node_end = static_cast<std::uint32_t>(forest.nodes.size());
  to.output += static_cast<std::uint32_t>(output);
  if (to.minus_output != kNoOutput) to.minus_output += static_cast<std::uint32_t>(output);
  if (tree.sparse) {
    to.value_begin = forest.entry_ends.size();
    for (std::size_t leaf = 0; leaf < tree.leaves; ++leaf) {
      const auto [begin, end] = leaf_entries(other, tree, leaf);
      for (std::size_t e = begin; e < end; ++e) {
        forest.entry_outputs.push_back(other.entry_outputs[e]);
        forest.entry_values.push_back(scaled(other.entry_values[e]));
      }
      forest.entry_ends.push_back(forest.entry_values.size());
    }
  } else {
    to.value_begin = forest.leaf_values.size();
    std::vector<float> values =
        other.leaf_values.copy(tree.value_begin, std::size_t{tree.leaves} * tree.width);
    std::transform(values.begin(), values.end(), values.begin(), scaled);
    forest.leaf_values.append(values);
  }
  if (tree.linear()) {
    to.linear_begin = static_cast<std::uint32_t>(forest.linear_features.size());
    to.slope_begin = forest.slopes.size();
    const std::size_t count = tree.linear_end - tree.linear_begin;
    append_all(forest.linear_features,
               std::span(other.linear_features).subspan(tree.linear_begin, count));
    to.linear_end = static_cast<std::uint32_t>(forest.linear_features.size());
    for (const float slope : std::span(other.slopes).subspan(tree.slope_begin, count * tree.width))
      forest.slopes.push_back(scaled(slope));
  }
  forest.trees.push_back(to);
}

// Filters of different scales have no common images to look at.
void take_image(Forest& forest, const Forest& other) {
  if (other.image.empty()) return;
  if (forest.image.empty()) forest.image = other.image;
  if (forest.image != other.image)
    throw ModelError("trees with filters of images of another shape or scale cannot be joined");
}

}  // namespace

void append_forest(Forest& forest, const Forest& other, double factor) {
  take_image(forest, other);
  for (std::size_t t = 0; t < other.trees.size(); ++t) append_one(forest, other, t, factor, 0);
}

void append_round(Forest& forest, const Forest& other, std::size_t round, double factor,
                  std::size_t output) {
  take_image(forest, other);
  for (std::size_t t = other.trees_of(round); t < other.trees_of(round + 1); ++t)
    append_one(forest, other, t, factor, output);
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
  const TreeSpan next = forest.trees[trees];
  std::size_t values = 0;
  std::size_t sparse = 0;
  for (std::size_t t = 0; t < trees; ++t) {
    const TreeSpan& tree = forest.trees[t];
    if (tree.sparse)
      sparse += tree.leaves;
    else
      values += std::size_t{tree.leaves} * tree.width;
  }
  forest.leaf_values.resize(values);
  forest.entry_ends.resize(sparse);
  forest.entry_outputs.resize(sparse == 0 ? 0 : forest.entry_ends.back());
  forest.entry_values.resize(forest.entry_outputs.size());
  forest.nodes.resize(next.node_begin);
  if (!forest.node_gain.empty()) forest.node_gain.resize(next.node_begin);
  if (!forest.leaf_cover.empty()) forest.leaf_cover.resize(next.node_begin + trees);
  std::size_t words = 0;
  for (const Node& node : forest.nodes)
    if (node.categorical && node.set + std::size_t{node.set_size} > words)
      words = node.set + std::size_t{node.set_size};
  forest.set_words.resize(words);
  std::size_t filters = 0;
  for (const Node& node : forest.nodes)
    if (node.filter != kNoFilter) filters = std::max<std::size_t>(filters, node.filter + 1);
  forest.filters.resize(filters);
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
