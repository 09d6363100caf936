#include "tree/pack.h"

#include <limits>
#include <vector>

#include "tree/split/category_sets.h"

namespace simplexboost {
namespace {

// The left set over category codes, from the bins that go left: a set of them or, of a statistic,
// those up to one.
void pack_set(const Split& split, const FeatureBins& bins, Node& node, Forest& forest) {
  std::vector<std::uint32_t> words((bins.category_bin.size() + 31) / 32);
  const SplitPredicate goes_left(split, bins);
  for (std::size_t code = 0; code < bins.category_bin.size(); ++code)
    if (goes_left(bins.category_bin[code])) words[code / 32] |= 1U << (code % 32);
  node.categorical = true;
  give_set(forest, words, node);
}

}  // namespace

Node pack_split(const Split& split, const FeatureBins& bins, Forest& forest) {
  Node node;
  node.feature = bins.statistic() ? bins.column : split.feature;
  node.missing_left = split.missing_left;
  if (split.filtered) {
    node.filter = static_cast<std::uint32_t>(forest.filters.size());
    node.threshold = split.limit;
    forest.filters.push_back(split.filter);
  } else if (split.categorical || bins.statistic()) {
    if (bins.statistic() && !bins.has_missing) node.missing_left = bins.unseen_bin <= split.bin;
    pack_set(split, bins, node, forest);
  } else {
    // A cut behind the last bin parts what is known from what is missing.
    node.threshold = split.bin < bins.thresholds.size() ? bins.thresholds[split.bin]
                                                        : std::numeric_limits<double>::max();
  }
  return node;
}

void pack_tree(const GrownTree& tree, const Leaves& leaves, const std::vector<FeatureBins>& bins,
               std::size_t output, std::size_t width, double factor, double gain_unit,
               Forest& forest) {
  // Numbers of the inner nodes among themselves.
  std::vector<std::int32_t> inner(tree.nodes.size(), -1);
  std::int32_t count = 0;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    if (!tree.nodes[i].leaf()) inner[i] = count++;
  const auto child = [&](std::int32_t i) {
    const auto at = static_cast<std::size_t>(i);
    return tree.nodes[at].leaf() ? ~leaves.of_node[at] : inner[at];
  };

  std::vector<Node> nodes;
  std::vector<float> gains;
  for (const GrownNode& grown : tree.nodes) {
    if (grown.leaf()) continue;
    Node& node = nodes.emplace_back(pack_split(grown.split, bins[grown.split.feature], forest));
    node.left = child(grown.left);
    node.right = child(grown.right);
    gains.push_back(static_cast<float>(grown.gain * gain_unit));
  }
  std::vector<float> values;
  values.reserve(leaves.values.size());
  for (const float value : leaves.values) values.push_back(static_cast<float>(value * factor));
  append_tree(forest, nodes, values, output, width, gains);
}

}  // namespace simplexboost
