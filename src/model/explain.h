// What a model has learnt, for people: which features it splits, what a tree says, and the figures
// that sum it up. Text only; the command decides where it goes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/ensemble.h"
#include "simplexboost/model.h"

namespace simplexboost {

// All features, most important first: by gain where it is recorded, else by splits; ties in the
// order of the features.
std::vector<FeatureImportance> feature_importance(const Ensemble& ensemble);

// features x classes: the gain of each split (or 1, if not `gain`) divided among the classes by the
// squares of what it changes in their scores, that is by the difference of the mean leaves of its
// two sides, what all classes share taken off; likewise for the slopes of linear terms.
std::vector<double> class_importance(const Ensemble& ensemble, bool gain);

// What a node asks: "x <= 2.5", "colour in {blue, red} or missing".
std::string test_text(const Ensemble& ensemble, const Node& node);

// One tree, a line a node, children indented below their test. `tree` < forest.trees.size().
std::string tree_text(const Ensemble& ensemble, std::size_t tree);

struct ModelSummary {
  std::string algorithm;
  std::size_t rounds = 0;
  std::size_t trees = 0;
  std::size_t leaves = 0;  // of all trees
  std::size_t linear = 0;  // trees with a linear part
  std::size_t max_depth = 0;
  std::size_t classes = 0;
  std::size_t outputs = 0;
  std::size_t features = 0;
  std::size_t categorical_features = 0;
  std::size_t used_features = 0;
  std::string stop_reason;
};

ModelSummary summarize(const Ensemble& ensemble);

}  // namespace simplexboost
