#include "explain/path_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "explain/shap_kernels.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// All paths of one tree together: a hostile chain must not take the memory of the machine.
constexpr std::size_t kMostPathFeatures = std::size_t{1} << 25;

// The weight of the rows that reach each node.
std::vector<double> node_covers(const Forest& forest, std::size_t number) {
  const TreeSpan& span = forest.trees[number];
  const std::size_t nodes = span.node_end - span.node_begin;
  const float* const of_leaf = forest.leaf_cover.data() + span.node_begin + number;
  std::vector<double> covers(nodes + span.leaves);
  std::copy_n(of_leaf, span.leaves, covers.begin() + static_cast<std::ptrdiff_t>(nodes));
  // Children stand after their parents.
  for (std::size_t i = nodes; i-- > 0;) {
    const Node& node = forest.nodes[span.node_begin + i];
    for (const std::int32_t child : {node.left, node.right})
      covers[i] += covers[child < 0 ? nodes + static_cast<std::size_t>(~child)
                                    : static_cast<std::size_t>(child)];
  }
  return covers;
}

}  // namespace

PathTree::PathTree(const Forest& forest, std::size_t number, const Players& players, GameKind kind,
                   bool covers)
    : forest_(forest), span_(&forest.trees[number]) {
  const std::size_t nodes = span_->node_end - span_->node_begin;
  for (std::size_t i = 0; i < nodes; ++i)
    node_player_.push_back(players.of_node(forest.nodes[span_->node_begin + i]));
  node_bit_.resize(nodes);
  find_paths(covers ? node_covers(forest, number) : std::vector<double>());
  order_entries(kind);
}

// Depth first. A side of a node that no training row has reached counts as one of two.
void PathTree::find_paths(std::span<const double> covers) {
  const std::size_t nodes = node_player_.size();
  struct Open {
    std::int32_t child;
    std::vector<Feature> way;  // to it
  };
  std::vector<std::vector<Feature>> of_leaf(span_->leaves);
  std::vector<Open> open;
  std::size_t listed = 0;
  const auto go = [&](std::int32_t child, std::vector<Feature> way) {
    listed += way.size();
    if (listed > kMostPathFeatures)
      throw ModelError("a tree of the model has too long paths to be explained");
    most_ = std::max(most_, way.size());
    if (child < 0)
      of_leaf[static_cast<std::size_t>(~child)] = std::move(way);
    else
      open.push_back({child, std::move(way)});
  };
  go(nodes == 0 ? ~0 : 0, {});
  while (!open.empty()) {
    std::vector<Feature> way = std::move(open.back().way);
    const auto i = static_cast<std::size_t>(open.back().child);
    open.pop_back();
    const Node& node = forest_.nodes[span_->node_begin + i];
    const auto found = std::find_if(
        way.begin(), way.end(), [&](const Feature& one) { return one.player == node_player_[i]; });
    node_bit_[i] = static_cast<std::uint32_t>(found - way.begin());
    if (found == way.end()) way.push_back({node_player_[i], 1});
    const auto share = [&](std::int32_t child) {
      if (covers.empty()) return 1.0;
      const double own = covers[child < 0 ? nodes + static_cast<std::size_t>(~child)
                                          : static_cast<std::size_t>(child)];
      return covers[i] > 0 ? own / covers[i] : 0.5;
    };
    std::vector<Feature> other = way;
    other[node_bit_[i]].share *= share(node.right);
    way[node_bit_[i]].share *= share(node.left);
    go(node.right, std::move(other));
    go(node.left, std::move(way));
  }
  words_ = std::max<std::size_t>((most_ + kWordBits - 1) / kWordBits, 1);
  first_.push_back(0);
  for (const std::vector<Feature>& way : of_leaf) {
    for (const Feature& one : way) {
      player_.push_back(one.player);
      shares_.push_back(one.share);
    }
    first_.push_back(static_cast<std::uint32_t>(player_.size()));
  }
}

double PathTree::reach(std::size_t leaf) const {
  double product = 1;
  for (const double share : shares(leaf)) product *= share;
  return product;
}

bool PathTree::reached(const std::uint64_t* answers, std::size_t leaf, std::size_t row) const {
  const std::size_t count = features_of(leaf);
  for (std::size_t w = 0; w < words_; ++w) {
    const std::uint64_t mask = word_mask(count, w);
    if ((answers[w * kShapRows + row] & mask) != mask) return false;
  }
  return true;
}

// Entries sorted by target, those of a target by leaf.
void PathTree::order_entries(GameKind kind) {
  struct Entry {
    std::uint32_t player;
    std::uint32_t other;
    std::uint32_t leaf;
    std::uint32_t number;  // in the order of leaves
  };
  std::vector<Entry> entries;
  const auto add = [&](std::uint32_t a, std::uint32_t b, std::size_t leaf) {
    if (entries.size() >= kMostPathFeatures)
      throw ModelError("a tree of the model has too many pairs of features to be explained");
    entries.push_back({std::min(a, b), std::max(a, b), static_cast<std::uint32_t>(leaf),
                       static_cast<std::uint32_t>(entries.size())});
  };
  for (std::size_t leaf = 0; leaf < span_->leaves; ++leaf) {
    first_entry_.push_back(static_cast<std::uint32_t>(entries.size()));
    for (std::uint32_t i = first_[leaf]; i < first_[leaf + 1]; ++i) {
      if (kind == GameKind::kFeatures) add(player_[i], player_[i], leaf);
      if (kind == GameKind::kPairs)
        for (std::uint32_t j = i + 1; j < first_[leaf + 1]; ++j) add(player_[i], player_[j], leaf);
    }
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.player, a.other) < std::pair(b.player, b.other);
  });
  places_.resize(entries.size());
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const Entry& entry = entries[e];
    places_[entry.number] = static_cast<std::uint32_t>(e);
    entry_leaf_.push_back(entry.leaf);
    if (targets_.empty() || targets_.back().player != entry.player ||
        targets_.back().other != entry.other)
      targets_.push_back({entry.player, entry.other, e, e});
    targets_.back().end = e + 1;
  }
}

// All bits set for the rows that a node sends left.
void PathTree::test(std::size_t index, const double* values, std::uint64_t* left) const {
  const Node& node = forest_.nodes[span_->node_begin + index];
  const double* const x = values + std::size_t{node_player_[index]} * kShapRows;
  const std::uint64_t missing = node.missing_left && node.filter == kNoFilter ? ~0ULL : 0;
  if (!node.categorical) {
    for (std::size_t r = 0; r < kShapRows; ++r)
      left[r] = x[r] <= node.threshold ? ~0ULL : std::isnan(x[r]) ? missing : 0;
    return;
  }
  for (std::size_t r = 0; r < kShapRows; ++r) {
    left[r] = 0;
    if (!(x[r] >= 0)) {
      left[r] = missing;
    } else if (x[r] < 32.0 * node.set_size) {
      const auto code = static_cast<std::uint32_t>(x[r]);
      const std::uint32_t word = forest_.set_words[node.set + code / 32];
      left[r] = 0 - std::uint64_t{(word >> (code % 32)) & 1};
    }
  }
}

void PathTree::answers(const double* values, std::vector<std::uint64_t>& scratch,
                       std::uint64_t* of_leaves) const {
  const std::size_t nodes = node_player_.size();
  const std::size_t size = words_ * kShapRows;
  if (nodes == 0) {
    std::fill_n(of_leaves, size, ~0ULL);
    return;
  }
  scratch.resize(nodes * size);
  std::fill_n(scratch.begin(), size, ~0ULL);
  std::array<std::uint64_t, kShapRows> left;
  for (std::size_t i = 0; i < nodes; ++i) {
    test(i, values, left.data());
    const Node& node = forest_.nodes[span_->node_begin + i];
    const std::uint64_t* const from = scratch.data() + i * size;
    const std::size_t word = node_bit_[i] / kWordBits * kShapRows;
    const std::uint64_t others = ~(std::uint64_t{1} << (node_bit_[i] % kWordBits));
    for (const bool right : {false, true}) {
      const std::int32_t child = right ? node.right : node.left;
      std::uint64_t* const to = child < 0 ? of_leaves + static_cast<std::size_t>(~child) * size
                                          : scratch.data() + static_cast<std::size_t>(child) * size;
      if (words_ > 1) std::copy_n(from, size, to);
      const std::uint64_t flip = right ? ~0ULL : 0;
      for (std::size_t r = 0; r < kShapRows; ++r)
        to[word + r] = from[word + r] & ((left[r] ^ flip) | others);
    }
  }
}

}  // namespace simplexboost
