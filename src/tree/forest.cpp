#include "simplexboost/forest.h"

#include <cassert>

namespace simplexboost {

void keep_rounds(Forest& forest, std::size_t rounds) {
  assert(rounds <= forest.rounds());
  const std::size_t trees = forest.trees_of(rounds);
  forest.round_end.resize(rounds);
  if (trees == forest.trees.size()) return;
  const TreeSpan& next = forest.trees[trees];
  forest.leaf_values.resize(next.value_begin);
  forest.nodes.resize(next.node_begin);
  if (!forest.node_gain.empty()) forest.node_gain.resize(next.node_begin);
  std::size_t words = 0;
  for (const Node& node : forest.nodes)
    if (node.categorical && node.set + std::size_t{node.set_size} > words)
      words = node.set + std::size_t{node.set_size};
  forest.set_words.resize(words);
  forest.trees.resize(trees);
}

}  // namespace simplexboost
