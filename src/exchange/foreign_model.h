// What the readers of other programs' models have in common: trees that are handed over node by
// node, and the ensemble that they become.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "model/ensemble.h"

namespace simplexboost {

// A node of another program's tree, which may stand in any order there.
struct ForeignNode {
  bool leaf = false;
  Node test;               // feature, threshold, categorical, missing_left
  std::int64_t left = -1;  // numbers of its children in the other program's order
  std::int64_t right = -1;
  float gain = 0;
  std::vector<std::uint32_t> set;  // categorical: words of the codes that go left
  std::vector<float> values;       // a leaf's
};

class ForeignForest {
 public:
  explicit ForeignForest(Ensemble& ensemble) : ensemble_(ensemble) {}

  // Takes the tree whose root is node 0 of `count`; `node(i)` tells what a node is. Throws
  // ModelError where nodes are no tree.
  void add_tree(std::size_t count, const std::function<ForeignNode(std::size_t)>& node,
                std::size_t output, std::size_t width);
  void end_round();

 private:
  Ensemble& ensemble_;
};

// Models of one program's: the trees add to scores that are logs of probabilities times `scale`.
// Classes are named by their numbers; of two classes the first has the score 0.
Ensemble foreign_ensemble(const std::string& program, std::size_t classes);

// Gives categorical features the names of their codes; where there are none, their numbers.
// `names(f, i)`: of feature f, which is the i-th categorical one.
using CategoryNames = std::function<std::vector<std::string>(std::size_t, std::size_t)>;
void name_categories(Ensemble& ensemble, const std::vector<bool>& categorical,
                     const CategoryNames& names);

// Throws ModelError: "an XGBoost model of ...".
[[noreturn]] void refuse_model(const std::string& what);

}  // namespace simplexboost
