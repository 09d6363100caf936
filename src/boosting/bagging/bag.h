// Which rows a tree of a forest is grown on. They follow from the seed and the tree's number alone,
// so that a forest that was trained before can be asked again what its trees have not seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/row_weights.h"
#include "simplexboost/parameters.h"
#include "tree/classes/class_tree.h"

namespace simplexboost {

// Where the random numbers of a tree come from: its rows first, then its features and cuts.
Random tree_random(const Parameters& parameters, std::size_t tree);

// Whether some rows are left out of each tree.
bool leaves_rows_out(const Parameters& parameters);

// The rows that a tree counts and how much; all of them where nothing is drawn.
std::vector<ClassItem> draw_bag(const Parameters& parameters, std::size_t rows,
                                const RowWeights& weights, Random& random);

// For each row that is here kNoLeaf where it is in the bag, which is of all ranks' rows, else 0.
std::vector<std::uint32_t> rows_left_out(std::span<const ClassItem> bag, const RowSpace& space);

}  // namespace simplexboost
