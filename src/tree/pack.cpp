#include "tree/pack.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

namespace simplexboost {
namespace {

// The left set over category codes, from the bins that go left: a set of them or, of a statistic,
// those up to one.
void pack_set(const Split& split, const FeatureBins& bins, Node& node, CategorySets& sets) {
  const SplitPredicate goes_left(split, bins);
  std::vector<std::uint32_t> left(bins.missing_bin() + 1);
  for (std::uint32_t bin = 0; bin < left.size(); ++bin) left[bin] = goes_left(bin) ? 1 : 0;
  constexpr std::size_t kBits = 32;
  const std::span<const std::uint16_t> bin_of(bins.category_bin);
  std::vector<std::uint32_t> words((bin_of.size() + kBits - 1) / kBits);
  for (std::size_t w = 0; w < words.size(); ++w) {
    const auto own = bin_of.subspan(w * kBits, std::min(kBits, bin_of.size() - w * kBits));
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < own.size(); ++j) word |= left[own[j]] << j;
    words[w] = word;
  }
  node.categorical = true;
  sets.give(words, node);
}

}  // namespace

Node pack_split(const Split& split, const FeatureBins& bins, CategorySets& sets) {
  Forest& forest = sets.forest();
  Node node;
  node.feature = bins.statistic() ? bins.column : split.feature;
  node.missing_left = split.missing_left;
  if (split.filtered) {
    node.filter = static_cast<std::uint32_t>(forest.filters.size());
    node.threshold = split.limit;
    forest.filters.push_back(split.filter);
  } else if (split.categorical || bins.statistic()) {
    if (bins.statistic() && !bins.has_missing) node.missing_left = bins.unseen_bin <= split.bin;
    pack_set(split, bins, node, sets);
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
  CategorySets sets(forest, tree.nodes.size());
  for (const GrownNode& grown : tree.nodes) {
    if (grown.leaf()) continue;
    Node& node = nodes.emplace_back(pack_split(grown.split, bins[grown.split.feature], sets));
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
