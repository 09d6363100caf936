#include "model/predict/packed_forest.h"

#include <algorithm>
#include <bit>

namespace simplexboost {
namespace {

constexpr std::uint64_t kLeafBits = 0x7ff8000000000000;  // a quiet NaN; the leaf's number below

PackedNode pack_leaf(std::uint32_t leaf, std::uint32_t self) {
  return {std::bit_cast<double>(kLeafBits | leaf), 0, self};
}

PackedNode pack_node(const Node& node, std::uint32_t feature, std::uint32_t child) {
  PackedNode packed{node.threshold, feature, child};
  if (!node.missing_left) packed.feature |= PackedNode::kMissingRight;
  if (node.filter != kNoFilter) packed.feature = node.filter | PackedNode::kFilter;
  if (node.categorical) {
    packed.feature |= PackedNode::kCategorical;
    packed.threshold = std::bit_cast<double>(std::uint64_t{node.set_size} << 32U | node.set);
  }
  return packed;
}

}  // namespace

PackedForest::PackedForest(const Forest& forest, std::size_t feature_count) {
  std::vector<std::uint32_t> compact(feature_count);
  for (const Node& node : forest.nodes)
    if (node.filter == kNoFilter) compact[node.feature] = 1;
  for (const LinearFeature& one : forest.linear_features) compact[one.feature] = 1;
  for (std::uint32_t f = 0; f < compact.size(); ++f) {
    if (compact[f] == 0) continue;
    compact[f] = static_cast<std::uint32_t>(features.size());
    features.push_back(f);
  }
  linear.reserve(forest.linear_features.size());
  for (const LinearFeature& one : forest.linear_features)
    linear.push_back({one, compact[one.feature]});
  nodes.reserve(2 * forest.nodes.size() + forest.trees.size());
  trees.reserve(forest.trees.size());
  for (const TreeSpan& span : forest.trees) pack(forest, span, compact);
}

void PackedForest::pack(const Forest& forest, const TreeSpan& span,
                        std::span<const std::uint32_t> compact) {
  PackedTree tree;
  tree.begin = nodes.size();
  tree.value_begin = span.value_begin;
  tree.slope_begin = span.slope_begin;
  tree.linear_begin = span.linear_begin;
  tree.linear_end = span.linear_end;
  tree.output = span.output;
  tree.width = span.width;
  tree.minus_output = span.minus_output;
  tree.sparse = span.sparse;
  tree.whole = !tree.sparse && !tree.linear() && tree.width == forest.outputs &&
               tree.minus_output == kNoOutput;
  const std::size_t count = span.node_end - span.node_begin;
  nodes.resize(nodes.size() + 2 * count + 1);
  PackedNode* packed = nodes.data() + tree.begin;
  if (count == 0) packed[0] = pack_leaf(0, 0);

  // Parents come before their children, so a node's slot and depth are known when it is met.
  std::vector<std::uint32_t> slot(count);
  std::vector<std::uint32_t> depth(count);
  std::uint32_t free_slot = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const Node& node = forest.nodes[span.node_begin + i];
    packed[slot[i]] = pack_node(node, compact[node.feature], free_slot);
    tree.mixed |= node.categorical || node.filter != kNoFilter;
    tree.depth = std::max(tree.depth, depth[i] + 1);
    for (const std::int32_t child : {node.left, node.right}) {
      if (child < 0) {
        packed[free_slot] = pack_leaf(static_cast<std::uint32_t>(~child), free_slot);
      } else {
        slot[static_cast<std::size_t>(child)] = free_slot;
        depth[static_cast<std::size_t>(child)] = depth[i] + 1;
      }
      ++free_slot;
    }
  }
  trees.push_back(tree);
}

}  // namespace simplexboost
