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
  data.visit([&]<class Bin>(const Bin*) {
    parallel_blocks(threads, data.rows(), kBlock, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        std::size_t at = 0;
        while (!tree.nodes[at].leaf()) {
          const GrownNode& node = tree.nodes[at];
          const std::uint32_t feature = node.split.feature;
          const SplitPredicate left(node.split, data.bins(feature));
          const bool goes_left =
              filters[at] ? (*filters[at])(row) : left(data.values<Bin>(feature)[row]);
          at = static_cast<std::size_t>(goes_left ? node.left : node.right);
        }
        leaf_of_row[row] = static_cast<std::uint32_t>(leaf_of_node[at]);
      }
    });
  });
}

void assign_leaves(const GrownTree& tree, const std::vector<std::int32_t>& leaf_of_node,
                   const BinnedDataset& data, int threads, std::uint32_t* leaf_of_row) {
  if (!tree.partition->complete())
    return walk_leaves(tree, leaf_of_node, data, threads, leaf_of_row);
  constexpr std::size_t kParallelRows = 65536;
  parallel_for(data.rows() > kParallelRows ? threads : 1, tree.nodes.size(), [&](std::size_t i) {
    if (!tree.nodes[i].leaf()) return;
    for (const std::uint32_t row : tree.rows(tree.nodes[i]))
      leaf_of_row[row] = static_cast<std::uint32_t>(leaf_of_node[i]);
  });
}

}  // namespace simplexboost
