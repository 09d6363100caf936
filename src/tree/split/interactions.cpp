#include "tree/split/interactions.h"

#include <algorithm>
#include <iterator>

namespace simplexboost {

Interactions::Interactions(const std::vector<std::vector<std::uint32_t>>& groups,
                           std::size_t features)
    : groups_of_(features) {
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const std::uint32_t feature : groups[g]) {
      std::vector<std::uint32_t>& own = groups_of_[feature];
      if (own.empty() || own.back() != g) own.push_back(static_cast<std::uint32_t>(g));
    }
  auto alone = static_cast<std::uint32_t>(groups.size());
  for (std::vector<std::uint32_t>& own : groups_of_)
    if (own.empty()) own.push_back(alone++);
}

bool Interactions::allows(const GrownTree& tree, std::size_t node, std::uint32_t feature,
                          const BinnedDataset& data) const {
  std::vector<std::uint32_t> shared = groups_of_[data.column(feature)];
  std::vector<std::uint32_t> kept;
  for (std::int32_t at = tree.nodes[node].parent; at >= 0 && !shared.empty();
       at = tree.nodes[static_cast<std::size_t>(at)].parent) {
    const Split& cut = tree.nodes[static_cast<std::size_t>(at)].split;
    const auto& own = groups_of_[data.column(cut.feature)];
    kept.clear();
    std::set_intersection(shared.begin(), shared.end(), own.begin(), own.end(),
                          std::back_inserter(kept));
    shared.swap(kept);
  }
  return !shared.empty();
}

}  // namespace simplexboost
