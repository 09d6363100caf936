// The nodes that may be cut, in the order in which they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "tree/grown_tree.h"

namespace simplexboost {

class NodeQueue {
 public:
  // By gain where `best_first`; else, and among equals, by `order`: when a node came to be part of
  // the tree, which does not depend on the numbers that nodes have while it grows.
  NodeQueue(const GrownTree& tree, const std::vector<std::int32_t>& order, bool best_first)
      : nodes_({&tree, &order, best_first}) {}

  bool empty() const { return nodes_.empty(); }
  void push(std::int32_t node) { nodes_.insert(node); }
  std::int32_t top() const { return *nodes_.begin(); }
  void pop() { nodes_.erase(nodes_.begin()); }
  auto begin() const { return nodes_.begin(); }
  auto end() const { return nodes_.end(); }

 private:
  struct Before {
    const GrownTree* tree;
    const std::vector<std::int32_t>* order;
    bool best_first;
    bool operator()(std::int32_t a, std::int32_t b) const {
      const auto i = static_cast<std::size_t>(a);
      const auto j = static_cast<std::size_t>(b);
      const float gain_a = tree->nodes[i].gain;
      const float gain_b = tree->nodes[j].gain;
      if (best_first && gain_a != gain_b) return gain_a > gain_b;
      return (*order)[i] < (*order)[j];
    }
  };
  std::set<std::int32_t, Before> nodes_;
};

}  // namespace simplexboost
