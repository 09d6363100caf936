// A grown tree as one comparable text.
#pragma once

#include <string>

#include "tree/grown_tree.h"

namespace simplexboost::testing {

// Nodes, cuts and sums: what is the same on all ranks.
inline std::string text_of_nodes(const GrownTree& tree) {
  std::string text;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const GrownNode& node = tree.nodes[i];
    text += std::to_string(node.left) + " gain " + std::to_string(node.gain) +
            (node.revoted ? " revoted" : "");
    if (!node.leaf()) {
      text += " x" + std::to_string(node.split.feature) + " bin " + std::to_string(node.split.bin) +
              (node.split.missing_left ? " missing left" : "");
      for (const std::uint32_t word : node.split.left_set) text += " " + std::to_string(word);
    }
    for (std::size_t j = 0; j < tree.channels; ++j) text += " " + std::to_string(tree.total(i)[j]);
    text += "\n";
  }
  return text;
}

// And where the rows are.
inline std::string text_of(const GrownTree& tree) {
  std::string text = text_of_nodes(tree);
  for (const GrownNode& node : tree.nodes)
    text += std::to_string(node.begin) + "-" + std::to_string(node.end) + " ";
  for (const std::uint32_t row : tree.rows(tree.nodes[0])) text += std::to_string(row) + " ";
  return text;
}

}  // namespace simplexboost::testing
