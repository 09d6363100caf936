#include "report/facts/class_order.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>

#include "base/stop.h"

namespace simplexboost {
namespace {

constexpr std::size_t kFewClasses = 12;
constexpr std::int32_t kNoCluster = -1;

// A node of the tree of clusters; the first ones are the classes.
struct Cluster {
  std::int32_t left = kNoCluster;
  std::int32_t right = kNoCluster;
  std::uint32_t size = 1;
};

// By chains of nearest neighbours (Murtagh 1983): O(classes^2). A cluster lives in the line of one
// of its classes in the table of distances.
class Clustering {
 public:
  Clustering(const std::vector<float>& likeness, std::size_t classes)
      : count_(classes), distance_(classes * classes), node_(classes), tree_(classes) {
    // The fourth root lets small likenesses count beside the sizes of clusters.
    for (std::size_t i = 0; i < distance_.size(); ++i)
      distance_[i] = 1 - std::sqrt(std::sqrt(likeness[i]));
    std::iota(node_.begin(), node_.end(), 0);
    std::vector<std::size_t> chain;
    for (std::size_t left = count_; left > 1;) {
      check_stop();
      if (chain.empty()) chain.push_back(first_alive());
      const std::size_t last = chain.back();
      const std::size_t before = chain.size() > 1 ? chain[chain.size() - 2] : count_;
      const std::size_t next = nearest(last, before);
      if (next != before) {
        chain.push_back(next);
        continue;
      }
      chain.resize(chain.size() - 2);
      merge(std::min(last, next), std::max(last, next));
      --left;
    }
  }

  const std::vector<Cluster>& tree() const { return tree_; }

 private:
  bool alive(std::size_t i) const { return node_[i] != kNoCluster; }
  std::size_t first_alive() const {
    std::size_t i = 0;
    while (!alive(i)) ++i;
    return i;
  }
  // Of equals the one that the chain comes from, so that it ends, else the first.
  std::size_t nearest(std::size_t i, std::size_t before) const {
    std::size_t best = before;
    float least =
        before < count_ ? distance_[i * count_ + before] : std::numeric_limits<float>::infinity();
    for (std::size_t j = 0; j < count_; ++j) {
      if (j == i || !alive(j) || !(distance_[i * count_ + j] < least)) continue;
      least = distance_[i * count_ + j];
      best = j;
    }
    return best;
  }
  void merge(std::size_t i, std::size_t j) {
    const float si = size(i);
    const float sj = size(j);
    const float between = distance_[i * count_ + j];
    for (std::size_t k = 0; k < count_; ++k) {
      if (!alive(k) || k == i || k == j) continue;
      // Ward's update, of Lance and Williams' kind.
      const float sk = size(k);
      const float merged = ((si + sk) * distance_[i * count_ + k] +
                            (sj + sk) * distance_[j * count_ + k] - sk * between) /
                           (si + sj + sk);
      distance_[i * count_ + k] = distance_[k * count_ + i] = merged;
    }
    const std::uint32_t both = tree_[at(i)].size + tree_[at(j)].size;
    tree_.push_back({node_[i], node_[j], both});
    node_[i] = static_cast<std::int32_t>(tree_.size() - 1);
    node_[j] = kNoCluster;
  }
  std::size_t at(std::size_t i) const { return static_cast<std::size_t>(node_[i]); }
  float size(std::size_t i) const { return static_cast<float>(tree_[at(i)].size); }

  std::size_t count_;
  std::vector<float> distance_;
  std::vector<std::int32_t> node_;  // of the tree, by line; kNoCluster: merged into another
  std::vector<Cluster> tree_;
};

// The classes of each cluster in a line, such that where two lines meet the ends are as alike as
// turning them allows.
std::vector<std::vector<std::uint32_t>> lay_out(const std::vector<Cluster>& tree,
                                                const std::vector<float>& likeness,
                                                std::size_t classes) {
  std::vector<std::vector<std::uint32_t>> lines(tree.size());
  for (std::uint32_t k = 0; k < classes; ++k) lines[k] = {k};
  const auto like = [&](std::uint32_t a, std::uint32_t b) { return likeness[a * classes + b]; };
  for (std::size_t c = classes; c < tree.size(); ++c) {
    std::vector<std::uint32_t>& a = lines[static_cast<std::size_t>(tree[c].left)];
    std::vector<std::uint32_t>& b = lines[static_cast<std::size_t>(tree[c].right)];
    const float ends[] = {like(a.back(), b.front()), like(a.back(), b.back()),
                          like(a.front(), b.front()), like(a.front(), b.back())};
    const auto best = std::max_element(std::begin(ends), std::end(ends)) - std::begin(ends);
    if (best >= 2) std::reverse(a.begin(), a.end());
    if (best % 2 == 1) std::reverse(b.begin(), b.end());
    lines[c] = std::move(a);
    lines[c].insert(lines[c].end(), b.begin(), b.end());
    b = {};
  }
  return lines;
}

// Beginnings of the groups: the largest cluster is parted until there are enough.
std::vector<std::uint32_t> cut(const std::vector<Cluster>& tree,
                               const std::vector<std::uint32_t>& order, std::size_t classes) {
  const auto wanted =
      static_cast<std::size_t>(std::lround(2 * std::sqrt(static_cast<double>(classes))));
  std::vector<std::uint32_t> group_of(classes);
  const auto later = [&](std::size_t a, std::size_t b) {
    return tree[a].size != tree[b].size ? tree[a].size < tree[b].size : a > b;
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> open(later);
  open.push(tree.size() - 1);
  while (open.size() < wanted && tree[open.top()].size > 1) {
    const Cluster& largest = tree[open.top()];
    open.pop();
    open.push(static_cast<std::size_t>(largest.left));
    open.push(static_cast<std::size_t>(largest.right));
  }
  for (std::uint32_t group = 0; !open.empty(); ++group, open.pop()) {
    std::vector<std::size_t> below{open.top()};
    while (!below.empty()) {
      const std::size_t c = below.back();
      below.pop_back();
      if (c < classes) {
        group_of[c] = group;
        continue;
      }
      below.push_back(static_cast<std::size_t>(tree[c].left));
      below.push_back(static_cast<std::size_t>(tree[c].right));
    }
  }
  std::vector<std::uint32_t> begins;
  for (std::uint32_t i = 0; i < classes; ++i)
    if (i == 0 || group_of[order[i]] != group_of[order[i - 1]]) begins.push_back(i);
  return begins;
}

}  // namespace

ClassOrder order_classes(const std::vector<float>& likeness, std::size_t classes) {
  ClassOrder result;
  if (classes == 0) return result;
  const Clustering clusters(likeness, classes);
  result.order = lay_out(clusters.tree(), likeness, classes).back();
  if (classes >= kFewClasses) {
    result.groups = cut(clusters.tree(), result.order, classes);
  } else {
    result.groups.resize(classes);
    std::iota(result.groups.begin(), result.groups.end(), 0U);
  }
  return result;
}

std::vector<float> class_likeness(const std::vector<double>& mass, std::size_t classes) {
  std::vector<double> total(classes);
  for (std::size_t i = 0; i < classes; ++i)
    for (std::size_t j = 0; j < classes; ++j) total[i] += mass[i * classes + j];
  const auto share = [&](std::size_t i, std::size_t j) {
    return total[i] > 0 ? mass[i * classes + j] / total[i] : 0;
  };
  std::vector<float> likeness(classes * classes);
  for (std::size_t i = 0; i < classes; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double moves = share(i, j) + share(j, i);
      const double stays = share(i, i) + share(j, j);
      const double like = moves > 0 ? moves / (moves + stays) : 0;
      likeness[i * classes + j] = likeness[j * classes + i] = static_cast<float>(like);
    }
  }
  return likeness;
}

}  // namespace simplexboost
