// Grows one tree of a forest: features and filters drawn anew for each node, thresholds drawn or
// searched for, cuts judged by the Gini index, leaves that say the shares of the classes. Its nodes
// soon have few rows, where histograms would be mostly empty, so it counts the classes of a node's
// rows themselves: the work does not grow with the number of classes, nor do its leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "data/binned_dataset.h"
#include "simplexboost/forest.h"
#include "tree/classes/bin_columns.h"
#include "tree/classes/class_cut.h"
#include "tree/classes/node_classes.h"
#include "tree/split/split.h"

namespace simplexboost {

struct ClassTreeOptions {
  std::size_t features = 1;  // looked at in a node, of those that differ there
  bool drawn = false;        // one threshold a feature, drawn; else the best
  int max_depth = 0;         // 0: no limit
  int min_rows = 1;          // in a leaf
  double min_weight = 0;     // in a leaf
  double min_gain = 0;       // of a cut, in weight
  std::size_t filters = 0;   // of images, drawn anew for each node beside the features
};

struct ClassNode {
  Split split;
  std::int32_t left = -1;  // as those of Node
  std::int32_t right = -1;
  float gain = 0;
};

// Parents stand before their children. A leaf's entries are the shares of the classes that it has:
// they sum to 1, or, for several labels a row, each is one label's share of the rows.
struct ClassTree {
  std::vector<ClassNode> nodes;
  SparseLeaves leaves;
  std::vector<float> covers;  // of the leaves: the weight of their items
};

// In the place of a row's leaf: nobody asks for it.
inline constexpr std::uint32_t kNoLeaf = 0xffffffff;

// For another rank (base/byte_stream.h).
template <class Bytes>
void carry_class_tree(Bytes& bytes, ClassTree& tree) {
  auto nodes = static_cast<std::uint64_t>(tree.nodes.size());
  bytes(nodes)(tree.leaves.ends)(tree.leaves.outputs)(tree.leaves.values)(tree.covers);
  tree.nodes.resize(nodes);
  for (ClassNode& node : tree.nodes) {
    carry_split(bytes, node.split);
    bytes(node.left)(node.right)(node.gain);
  }
}

// `features`: those to draw from; empty: all. The items are put into another order. `leaf_of_row`
// (empty: none) gets the leaf of each row that has not kNoLeaf there.
ClassTree grow_class_tree(const BinColumns& columns, const Labels& labels,
                          const ClassTreeOptions& options, std::vector<ClassItem>& items,
                          std::span<const std::uint32_t> features, Random& random,
                          std::span<std::uint32_t> leaf_of_row = {});

// The leaf of a row of binned data.
std::size_t leaf_of(const ClassTree& tree, const BinnedDataset& data, std::size_t row);

// Appends the tree, its leaves' entries or, with `dense`, 2 share - 1 for every label.
void append_class_tree(Forest& forest, const ClassTree& tree, const std::vector<FeatureBins>& bins,
                       std::size_t outputs, bool dense);

}  // namespace simplexboost
