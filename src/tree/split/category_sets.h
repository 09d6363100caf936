// Sets of categories in the flat arrays of a forest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "simplexboost/forest.h"

namespace simplexboost {

// Lets the node have these words as its set. Large sets, of columns of many values, come again and
// again, since statistics have few bins: the node shares those of one of the last nodes that has
// the same. (Small sets cost less than the search.)
inline void give_set(Forest& forest, std::span<const std::uint32_t> words, Node& node) {
  constexpr std::size_t kLarge = 16;
  constexpr std::ptrdiff_t kLookedAt = 4096;
  node.set_size = static_cast<std::uint16_t>(words.size());
  if (words.size() >= kLarge) {
    const auto same = [&](const Node& other) {
      return other.categorical && other.feature == node.feature && other.set_size == words.size() &&
             std::equal(words.begin(), words.end(), forest.set_words.begin() + other.set);
    };
    const auto last = forest.nodes.rbegin();
    const auto end = forest.nodes.size() > kLookedAt ? last + kLookedAt : forest.nodes.rend();
    if (const auto found = std::find_if(last, end, same); found != end) {
      node.set = found->set;
      return;
    }
  }
  node.set = static_cast<std::uint32_t>(forest.set_words.size());
  forest.set_words.insert(forest.set_words.end(), words.begin(), words.end());
}

}  // namespace simplexboost
