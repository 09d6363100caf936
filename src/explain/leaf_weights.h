// How much a leaf counts in the Shapley values of the features on its way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "explain/path_tree.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

// Gauss-Legendre points and weights on [0, 1].
struct Quadrature {
  explicit Quadrature(std::size_t points);
  std::vector<double> point;
  std::vector<double> weight;
};

// The answers that rows of a background give at the leaves of a tree, each once, with its share.
class BackgroundAnswers {
 public:
  BackgroundAnswers(const PathTree& tree, const Players& players, const Dataset& rows);

  // A pattern of answers has words() of the tree.
  const std::uint64_t* patterns(std::size_t leaf) const {
    return patterns_.data() + first_[leaf] * words_;
  }
  std::size_t count(std::size_t leaf) const { return first_[leaf + 1] - first_[leaf]; }
  const double* shares(std::size_t leaf) const { return shares_.data() + first_[leaf]; }
  // The share of the rows that reach the leaf.
  double reach(std::size_t leaf) const;

 private:
  std::size_t words_;
  const PathTree* tree_;
  std::vector<std::size_t> first_;
  std::vector<std::uint64_t> patterns_;
  std::vector<double> shares_;
};

// The weights of all leaves for kShapRows rows, a line for each entry of the tree. `answers`: as
// PathTree::answers gives them. `background`: null for the covers of the tree.
void leaf_weights(const PathTree& tree, GameKind kind, const BackgroundAnswers* background,
                  const std::uint64_t* answers, double* lines);

}  // namespace simplexboost
