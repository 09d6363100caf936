// Sets of categories in the flat arrays of a forest. Large sets, of columns of many values, come
// again and again, since statistics have few bins: a node shares those of the last of the nodes
// before it that has the same, unless that is far back. (Small sets cost less than the search.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include "simplexboost/forest.h"

namespace simplexboost {

class CategorySets {
 public:
  // For some nodes, about so many, that are appended to the forest one after the other, or together
  // after the last.
  CategorySets(Forest& forest, std::size_t nodes);

  Forest& forest() { return forest_; }
  // Lets the node, which has its feature, have these words as its set.
  void give(std::span<const std::uint32_t> words, Node& node);

 private:
  bool same(const Node& other, std::span<const std::uint32_t> words, const Node& node) const;
  // One that has the same, if any.
  std::optional<std::size_t> search(std::span<const std::uint32_t> words, const Node& node) const;
  std::optional<std::size_t> look_up(std::span<const std::uint32_t> words, const Node& node);

  Forest& forest_;
  bool indexed_;      // nodes are so many that an index pays
  std::size_t next_;  // of the forest's nodes, to come into the index
  std::unordered_map<std::uint64_t, std::size_t> last_;  // the last node of each hash of a set
};

}  // namespace simplexboost
