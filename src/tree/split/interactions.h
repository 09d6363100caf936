// Which features may come together on a path from the root of a tree to a leaf: only those that
// some group holds all of. A feature of no group stands alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tree/grown_tree.h"

namespace simplexboost {

class Interactions {
 public:
  // `groups` of features of the data, of which there are `features`.
  Interactions(const std::vector<std::vector<std::uint32_t>>& groups, std::size_t features);

  // Whether a node may be cut by a feature, after the cuts above it.
  bool allows(const GrownTree& tree, std::size_t node, std::uint32_t feature,
              const BinnedDataset& data) const;

 private:
  std::vector<std::vector<std::uint32_t>> groups_of_;  // of each feature, ascending
};

}  // namespace simplexboost
