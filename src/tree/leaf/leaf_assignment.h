// Which leaf of a grown tree each row of binned data falls into.
#pragma once

#include <cstdint>
#include <vector>

#include "tree/grown_tree.h"

namespace simplexboost {

// Rows that the tree was grown on are taken from its partition, others walk down the tree.
void assign_leaves(const GrownTree& tree, const std::vector<std::int32_t>& leaf_of_node,
                   const BinnedDataset& data, int threads, std::uint32_t* leaf_of_row);

// Every row walks: for data that the tree has not seen (validation), binned alike.
void walk_leaves(const GrownTree& tree, const std::vector<std::int32_t>& leaf_of_node,
                 const BinnedDataset& data, int threads, std::uint32_t* leaf_of_row);

}  // namespace simplexboost
