#include "tree/grown_tree.h"

#include <cassert>

namespace simplexboost {
namespace {

// Of a child, on its side of the parent.
std::uint64_t way_of_child(const GrownTree& tree, std::int32_t parent, bool left) {
  std::uint64_t way = mixed_bits(2 + (left ? 1 : 0));
  while (parent > 0) {
    const GrownNode& node = tree.nodes[static_cast<std::size_t>(parent)];
    const bool is_left = tree.nodes[static_cast<std::size_t>(node.parent)].left == parent;
    way = mixed_bits(2 * way + (is_left ? 1 : 0));
    parent = node.parent;
  }
  return way;
}

}  // namespace

void part_node(GrownTree& tree, RowPartition& partition, std::int32_t index, std::int32_t left,
               const BinnedDataset& data, int threads) {
  const GrownNode& node = tree.nodes[static_cast<std::size_t>(index)];
  set_children(tree, index, left, partition.split(node.begin, node.end, node.split, data, threads));
}

void set_children(GrownTree& tree, std::int32_t index, std::int32_t left, std::uint32_t middle) {
  GrownNode& node = tree.nodes[static_cast<std::size_t>(index)];
  node.left = left;
  node.right = left + 1;
  GrownNode child;
  child.parent = index;
  child.depth = node.depth + 1;
  GrownNode other = child;
  child.begin = node.begin;
  child.end = other.begin = middle;
  other.end = node.end;
  child.way = way_of_child(tree, index, true);
  other.way = way_of_child(tree, index, false);
  tree.nodes[static_cast<std::size_t>(left)] = child;
  tree.nodes[static_cast<std::size_t>(left) + 1] = other;
}

void choose_missing_side(GrownTree& tree, std::size_t node, double left_weight,
                         double right_weight) {
  Split& split = tree.nodes[node].split;
  if (!split.categorical && !split.missing_seen) split.missing_left = left_weight > right_weight;
}

void choose_missing_side(GrownTree& tree, std::size_t node, const float* weights) {
  const auto weight = [&](std::int32_t child) {
    const auto rows = tree.rows(tree.nodes[static_cast<std::size_t>(child)]);
    if (!weights) return static_cast<double>(rows.size());
    double sum = 0;
    for (const std::uint32_t row : rows) sum += static_cast<double>(weights[row]);
    return sum;
  };
  const GrownNode& cut = tree.nodes[node];
  choose_missing_side(tree, node, weight(cut.left), weight(cut.right));
}

void cut_node(GrownTree& tree, RowPartition& partition, std::int32_t index,
              const BinnedDataset& data, int threads) {
  const auto left = tree.nodes.size();
  tree.nodes.resize(left + 2);
  part_node(tree, partition, index, static_cast<std::int32_t>(left), data, threads);
  assert(!tree.rows(tree.nodes[left]).empty() && !tree.rows(tree.nodes[left + 1]).empty());
}

}  // namespace simplexboost
