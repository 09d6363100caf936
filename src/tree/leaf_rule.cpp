#include "tree/leaf_rule.h"

#include <algorithm>

namespace simplexboost {
namespace {

void class_leaf(const std::int32_t* pulls, std::size_t width, float* out) {
  out[std::max_element(pulls, pulls + width) - pulls] = 1;
}

// A node that no cut made, or that votes for itself, takes the sign of its own sums.
void vote_leaf(const GrownTree& tree, const GrownNode& node, const std::int32_t* pulls,
               std::size_t width, float* out) {
  if (node.parent < 0 || node.revoted) {
    for (std::size_t j = 0; j < width; ++j) out[j] = pulls[j] < 0 ? -1.0F : 1.0F;
    return;
  }
  const GrownNode& parent = tree.nodes[static_cast<std::size_t>(node.parent)];
  const std::int32_t* left = tree.total(static_cast<std::size_t>(parent.left)) + kPullChannel;
  const std::int32_t* right = tree.total(static_cast<std::size_t>(parent.right)) + kPullChannel;
  const bool is_left = &node == &tree.nodes[static_cast<std::size_t>(parent.left)];
  for (std::size_t j = 0; j < width; ++j) {
    const bool positive = right[j] >= left[j];
    out[j] = positive != is_left ? 1.0F : -1.0F;
  }
}

}  // namespace

void set_leaves(const GrownTree& tree, const RowStats& stats, LeafRule rule, double l2,
                Leaves& leaves) {
  const std::size_t width = stats.width();
  leaves.of_node.assign(tree.nodes.size(), -1);
  leaves.count = 0;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    if (tree.nodes[i].leaf()) leaves.of_node[i] = static_cast<std::int32_t>(leaves.count++);
  leaves.values.assign(leaves.count * width, 0);
  const double pull_unit = stats.pull_unit();
  const double weight_unit = stats.weight_unit();
  float* out = leaves.values.data();
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const GrownNode& node = tree.nodes[i];
    if (!node.leaf()) continue;
    const std::int32_t* total = tree.total(i);
    const std::int32_t* pulls = total + kPullChannel;
    const auto divide = [&](std::size_t j, double by) {
      out[j] = by > 0 ? static_cast<float>(pulls[j] * pull_unit / by) : 0;
    };
    switch (rule) {
      case LeafRule::kClass: class_leaf(pulls, width, out); break;
      case LeafRule::kVote: vote_leaf(tree, node, pulls, width, out); break;
      case LeafRule::kMean:
        for (std::size_t j = 0; j < width; ++j) divide(j, total[kWeightChannel] * weight_unit + l2);
        break;
      case LeafRule::kNewton:
        for (std::size_t j = 0; j < width; ++j)
          divide(j, pulls[stats.channels() / 2 + j] * weight_unit + l2);
        break;
      case LeafRule::kProportion: {
        double sum = 0;
        for (std::size_t j = 0; j < width; ++j) sum += pulls[j];
        for (std::size_t j = 0; j < width; ++j) divide(j, sum * pull_unit);
        break;
      }
    }
    out += width;
  }
}

}  // namespace simplexboost
