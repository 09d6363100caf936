#include "tree/leaf/abstention.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace simplexboost {
namespace {

// The cut that a leaf's votes come from, as a number of its own for each: leaves that vote by their
// own sums share theirs with none.
std::vector<std::size_t> cut_of_leaf(const GrownTree& tree, const Leaves& leaves) {
  std::vector<std::size_t> cuts(leaves.count);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const GrownNode& node = tree.nodes[i];
    if (!node.leaf()) continue;
    const bool own = node.parent < 0 || node.revoted;
    cuts[static_cast<std::size_t>(leaves.of_node[i])] =
        own ? i : static_cast<std::size_t>(node.parent);
  }
  return cuts;
}

}  // namespace

std::vector<bool> voting(std::span<const VoteWeight> votes) {
  std::vector<std::size_t> order(votes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return votes[a].right * votes[b].wrong > votes[b].right * votes[a].wrong;
  });
  double right = 0;
  double wrong = 0;
  double best = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    right += votes[order[i]].right;
    wrong += votes[order[i]].wrong;
    const double lead = std::sqrt(right) - std::sqrt(wrong);
    if (!(lead > best)) continue;
    best = lead;
    count = i + 1;
  }
  std::vector<bool> vote(votes.size());
  for (std::size_t i = 0; i < count; ++i) vote[order[i]] = true;
  return vote;
}

void abstain(const GrownTree& tree, const FitTarget& target,
             std::span<const std::uint32_t> leaf_of_row, const RowSpace& space, Leaves& leaves) {
  const std::size_t width = target.width;
  const std::vector<std::size_t> cuts = cut_of_leaf(tree, leaves);
  const std::size_t size = tree.nodes.size() * width;
  // Right, then wrong: cuts x classes each.
  const std::vector<double> sums =
      space.sums(RowSpace::kBlock, 2 * size, [&](std::size_t begin, std::size_t end, double* sum) {
        for (std::size_t i = begin; i < end; ++i) {
          const float* pull = target.pulls + i * width;
          const float* vote = leaves.values.data() + leaf_of_row[i] * width;
          double* const right = sum + cuts[leaf_of_row[i]] * width;
          for (std::size_t l = 0; l < width; ++l)
            right[l + (pull[l] * vote[l] < 0 ? size : 0)] +=
                std::fabs(static_cast<double>(pull[l]));
        }
      });
  std::vector<VoteWeight> weights(size);
  for (std::size_t at = 0; at < size; ++at) weights[at] = {sums[at], sums[size + at]};
  const std::vector<bool> votes = voting(weights);
  for (std::size_t leaf = 0; leaf < leaves.count; ++leaf)
    for (std::size_t l = 0; l < width; ++l)
      if (!votes[cuts[leaf] * width + l]) leaves.values[leaf * width + l] = 0;
}

}  // namespace simplexboost
