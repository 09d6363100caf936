// Chance in the search for splits: features drawn anew for each node, places to cut that are drawn
// instead of searched for, and noise in the scores. What is drawn depends on the stream of the tree
// and on the way from its root to the node, so neither on threads nor on the order of growth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/random.h"
#include "tree/grown_tree.h"
#include "tree/kernels/kernels.h"
#include "tree/split/split.h"

namespace simplexboost {

struct SplitChance {
  std::uint64_t stream = 0;  // of the tree
  // Standard deviation of what is added to the square root of a cut's gain, in the units of the
  // statistics.
  float noise = 0;
};

// The random numbers of a node; `purpose`: those of a feature, or others.
Random node_random(const SplitChance& chance, const GrownTree& tree, std::size_t node,
                   std::uint64_t purpose);

// One cut, drawn evenly from those between the values that the node has. `left`: scratch for one
// statistics vector.
ScanResult drawn_cut(const ScanArgs& args, Random random, std::int32_t* left);

// The best of the cuts of some features, drawn among those that can be cut (0: all), by scores with
// noise; null where none can. `current`: the score of the node as it stands.
const Split* best_by_chance(std::span<const Split> candidates, float current, std::size_t features,
                            float noise, Random random);

}  // namespace simplexboost
