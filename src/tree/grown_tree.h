// A tree as it grows, before anybody has said what its leaves are worth: cuts, and the rows on both
// sides of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned_vector.h"
#include "data/binned_dataset.h"
#include "tree/row_partition.h"
#include "tree/split/split.h"

namespace simplexboost {

struct GrownNode {
  std::int32_t parent = -1;
  std::int32_t left = -1;  // -1: a leaf
  std::int32_t right = -1;
  std::uint32_t begin = 0;  // its rows that are here: GrownTree::rows(node)
  std::uint32_t end = 0;
  std::int32_t depth = 0;
  std::uint64_t way = 1;  // the same for the same way from the root, whatever the numbers of nodes
  Split split;            // the best one found; taken if left >= 0
  float current = 0;      // score of the node as it stands
  float gain = 0;         // split.score - current
  bool revoted = false;   // a leaf that votes by its own sums (signed criteria)

  bool leaf() const { return left < 0; }
};

// A tree and the rows in its leaves that are here. Node 0 is the root, children follow their
// parents.
struct GrownTree {
  std::vector<GrownNode> nodes;
  std::size_t channels = 0;
  AlignedVector<std::int32_t> totals;  // nodes x channels: sums over rows, those of other ranks too
  const RowPartition* partition = nullptr;

  const std::int32_t* total(std::size_t node) const { return totals.data() + node * channels; }
  // Rows of a node, those of other ranks too.
  std::int64_t count(std::size_t node) const { return total(node)[kCountChannel]; }
  std::span<const std::uint32_t> rows(const GrownNode& node) const {
    return partition->range(node.begin, node.end);
  }
};

// The finaliser of splitmix64.
constexpr std::uint64_t mixed_bits(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

// Parts the rows of a node by its split among two nodes that are there: `left` and the next one.
void part_node(GrownTree& tree, RowPartition& partition, std::int32_t node, std::int32_t left,
               const BinnedDataset& data, int threads);
// The same where the rows were parted already: those from `middle` on go right.
void set_children(GrownTree& tree, std::int32_t node, std::int32_t left, std::uint32_t middle);
// The same with two nodes that it appends.
void cut_node(GrownTree& tree, RowPartition& partition, std::int32_t node,
              const BinnedDataset& data, int threads);

// Where a node that was cut has no missing values, those to come take the side of more weight.
void choose_missing_side(GrownTree& tree, std::size_t node, double left_weight,
                         double right_weight);
// By the weights of the rows; null: all 1.
void choose_missing_side(GrownTree& tree, std::size_t node, const float* weights);

}  // namespace simplexboost
