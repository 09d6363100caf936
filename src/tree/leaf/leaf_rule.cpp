#include "tree/leaf/leaf_rule.h"

#include <algorithm>
#include <concepts>
#include <numeric>

#include "tree/leaf/leaf_formulas.h"

namespace simplexboost {
namespace {

// What a rule may look at: one leaf of a grown tree, with its sums in integers and their units.
struct LeafSums {
  const GrownTree& tree;
  const GrownNode& node;
  const std::int32_t* total;
  const RowStats& stats;
  double l2;

  std::size_t width() const { return stats.width(); }
  const std::int32_t* pulls() const { return total + kPullChannel; }
  float pull_over(std::size_t j, double divisor) const {
    return static_cast<float>(plain::leaf_mean(pulls()[j] * stats.pull_unit(), divisor));
  }
};

// From a leaf's sums to its vector, which is zero before.
template <class Rule>
concept LeafVector = requires(const Rule rule, const LeafSums& leaf, float* out) {
  { rule(leaf, out) } -> std::same_as<void>;
};

struct ClassLeaf {
  void operator()(const LeafSums& leaf, float* out) const {
    const std::int32_t* pulls = leaf.pulls();
    out[std::max_element(pulls, pulls + leaf.width()) - pulls] = 1;
  }
};

struct SubsetLeaf {
  void operator()(const LeafSums& leaf, float* out) const {
    for (std::size_t j = 0; j < leaf.width(); ++j) out[j] = leaf.pulls()[j] > 0 ? 1.0F : 0.0F;
  }
};

struct VoteLeaf {
  void operator()(const LeafSums& leaf, float* out) const {
    // A node that no cut made, or that votes for itself, takes the sign of its own sums.
    if (leaf.node.parent < 0 || leaf.node.revoted) {
      for (std::size_t j = 0; j < leaf.width(); ++j) out[j] = leaf.pulls()[j] < 0 ? -1.0F : 1.0F;
      return;
    }
    const GrownTree& tree = leaf.tree;
    const GrownNode& parent = tree.nodes[static_cast<std::size_t>(leaf.node.parent)];
    const std::int32_t* left = tree.total(static_cast<std::size_t>(parent.left)) + kPullChannel;
    const std::int32_t* right = tree.total(static_cast<std::size_t>(parent.right)) + kPullChannel;
    const bool is_left = &leaf.node == &tree.nodes[static_cast<std::size_t>(parent.left)];
    for (std::size_t j = 0; j < leaf.width(); ++j) {
      out[j] = plain::leaf_vote(left[j], right[j], is_left);
    }
  }
};

struct MeanLeaf {
  void operator()(const LeafSums& leaf, float* out) const {
    const double weight = leaf.total[kWeightChannel] * leaf.stats.weight_unit() + leaf.l2;
    for (std::size_t j = 0; j < leaf.width(); ++j) out[j] = leaf.pull_over(j, weight);
  }
};

// Shares of what the classes have, all alike where that is nothing.
void set_shares(const std::int32_t* values, std::size_t width, float* out) {
  const double sum = std::accumulate(values, values + width, 0.0);
  for (std::size_t j = 0; j < width; ++j)
    out[j] =
        static_cast<float>(plain::leaf_share<double>(values[j], sum, static_cast<double>(width)));
}

struct ProportionLeaf {
  void operator()(const LeafSums& leaf, float* out) const {
    set_shares(leaf.pulls(), leaf.width(), out);
  }
};

struct ShareLeaf {
  void operator()(const LeafSums& leaf, float* out) const {
    set_shares(leaf.pulls() + leaf.stats.channels() / 2, leaf.width(), out);
  }
};

struct ClassVoteLeaf {
  void operator()(const LeafSums& leaf, float* out) const {
    std::fill(out, out + leaf.width(), -1.0F);
    ClassLeaf{}(leaf, out);
  }
};

struct ConfidenceLeaf {
  void operator()(const LeafSums& leaf, float* out) const {
    const std::size_t half = leaf.stats.channels() / 2;
    // The mean weight of a row and label, against infinities.
    const std::int32_t* all = leaf.tree.total(0) + kPullChannel + half;
    const double pairs =
        static_cast<double>(leaf.stats.all_rows()) * static_cast<double>(leaf.width());
    const double smoothing = std::accumulate(all, all + leaf.width(), 0.0) / pairs;
    if (!(smoothing > 0)) return;
    for (std::size_t j = 0; j < leaf.width(); ++j)
      out[j] = static_cast<float>(
          plain::leaf_confidence<double>(leaf.pulls()[j], leaf.pulls()[half + j], smoothing));
  }
};

template <LeafVector Rule>
void fill_leaves(const GrownTree& tree, const RowStats& stats, double l2, Leaves& leaves) {
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (!tree.nodes[i].leaf()) continue;
    float* out = leaves.values.data() + static_cast<std::size_t>(leaves.of_node[i]) * stats.width();
    Rule{}(LeafSums{tree, tree.nodes[i], tree.total(i), stats, l2}, out);
  }
}

}  // namespace

void set_leaves(const GrownTree& tree, const RowStats& stats, LeafRule rule, double l2,
                Leaves& leaves) {
  leaves.of_node.assign(tree.nodes.size(), -1);
  leaves.count = 0;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    if (tree.nodes[i].leaf()) leaves.of_node[i] = static_cast<std::int32_t>(leaves.count++);
  leaves.values.assign(leaves.count * stats.width(), 0);
  switch (rule) {
    case LeafRule::kClass: return fill_leaves<ClassLeaf>(tree, stats, l2, leaves);
    case LeafRule::kSubset: return fill_leaves<SubsetLeaf>(tree, stats, l2, leaves);
    case LeafRule::kTernary:
    case LeafRule::kVote: return fill_leaves<VoteLeaf>(tree, stats, l2, leaves);
    case LeafRule::kMean: return fill_leaves<MeanLeaf>(tree, stats, l2, leaves);
    case LeafRule::kClassVote: return fill_leaves<ClassVoteLeaf>(tree, stats, l2, leaves);
    case LeafRule::kConfidence: return fill_leaves<ConfidenceLeaf>(tree, stats, l2, leaves);
    case LeafRule::kProportion: return fill_leaves<ProportionLeaf>(tree, stats, l2, leaves);
    case LeafRule::kShare: return fill_leaves<ShareLeaf>(tree, stats, l2, leaves);
  }
}

}  // namespace simplexboost
