// Scores that must not fall, or not rise, as a feature grows.
//
// Of a class that is to rise with a feature, no score falls and no other class's score rises as the
// feature grows and all else stays: so neither does its log-odds against any other class fall, nor
// its probability. Each output of a tree obeys on its own, and floats are added and rounded in an
// order-preserving way, so that predictions obey to the last bit.
//
// Cuts are judged by what they may say then (tree/split/monotone_cuts.h), and the values are
// bounded. Below a cut of such a feature, everything on one side stays on its side of a value
// between the means of both (as XGBoost and LightGBM do for one output), so that rows that part at
// this cut are in order whatever comes below it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tree/grown_tree.h"
#include "tree/leaf/leaf_rule.h"

namespace simplexboost {

struct Monotone {
  // By feature: +1, the output rises and the others fall; -1, the other way; 0: as it comes.
  std::vector<std::int8_t> sign;
  std::vector<std::uint32_t> output;
  std::size_t outputs = 0;  // of a leaf

  bool empty() const { return sign.empty(); }
  // Statistics stand behind the features of the data.
  std::int8_t sign_of(std::size_t feature) const {
    return feature < sign.size() ? sign[feature] : std::int8_t{0};
  }
};

// Moves the leaves' values, leaves x width, to where they obey.
void bound_leaves(const GrownTree& tree, const Monotone& monotone, std::size_t width,
                  Leaves& leaves);

}  // namespace simplexboost
