#include "tree/leaf/leaf_assignment.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/threads/parallel.h"

namespace simplexboost {

void walk_leaves(const GrownTree& tree, const std::vector<std::int32_t>& leaf_of_node,
                 const BinnedDataset& data, int threads, std::uint32_t* leaf_of_row) {
  constexpr std::size_t kBlock = 4096;
  std::vector<std::optional<FilterPredicate>> filters(tree.nodes.size());
  for (std::size_t i = 0; i < filters.size(); ++i)
    if (tree.nodes[i].split.filtered) filters[i].emplace(tree.nodes[i].split, *data.images());
  parallel_blocks(threads, data.rows(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      std::size_t at = 0;
      while (!tree.nodes[at].leaf()) {
        const GrownNode& node = tree.nodes[at];
        const std::uint32_t feature = node.split.feature;
        const SplitPredicate left(node.split, data.bins(feature));
        const bool goes_left = filters[at] ? (*filters[at])(row) : left(data.bin(feature, row));
        at = static_cast<std::size_t>(goes_left ? node.left : node.right);
      }
      leaf_of_row[row] = static_cast<std::uint32_t>(leaf_of_node[at]);
    }
  });
}

void assign_leaves(const GrownTree& tree, const std::vector<std::int32_t>& leaf_of_node,
                   const BinnedDataset& data, int threads, std::uint32_t* leaf_of_row) {
  if (!tree.partition->complete())
    return walk_leaves(tree, leaf_of_node, data, threads, leaf_of_row);
  // By blocks of rows, which are in ascending order in each leaf: what a thread writes is its own,
  // and stays in its cache.
  constexpr std::size_t kMost = 32768;
  const std::size_t share = data.rows() / static_cast<std::size_t>(std::max(threads, 1)) + 1;
  const std::size_t block = std::clamp<std::size_t>(share, kMost / 16, kMost);
  std::vector<std::size_t> leaves;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    if (tree.nodes[i].leaf()) leaves.push_back(i);
  parallel_blocks(threads, data.rows(), block, [&](std::size_t begin, std::size_t end) {
    for (const std::size_t leaf : leaves) {
      const std::span<const std::uint32_t> rows = tree.rows(tree.nodes[leaf]);
      auto row = std::lower_bound(rows.begin(), rows.end(), begin);
      for (; row != rows.end() && *row < end; ++row)
        leaf_of_row[*row] = static_cast<std::uint32_t>(leaf_of_node[leaf]);
    }
  });
}

}  // namespace simplexboost
