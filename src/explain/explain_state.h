// What an explainer holds: the model, its players, its trees as paths, and what is said where
// nothing is known of a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "explain/players.h"
#include "explain/score_space.h"
#include "explain/shap_task.h"
#include "model/model_access.h"
#include "simplexboost/explain.h"

namespace simplexboost {

struct ExplainState {
  ExplainState(Model whole, const ExplainOptions& options);

  const Ensemble& ensemble() const { return ensemble_of(model); }
  PathForest prepare(GameKind kind) const;
  std::vector<double> mean_outputs() const;

  // Throws ParameterError where it makes no sense.
  void check(const ShapRequest& request) const;
  // The classes of all columns or, where true is returned, those of each row.
  bool choose(const Dataset& data, std::size_t begin, std::size_t end, const ShapRequest& request,
              std::vector<std::int32_t>& labels) const;
  std::size_t columns_of(const ShapRequest& request) const;

  Model model;
  int threads;
  std::size_t trees = 0;
  std::size_t rounds = 0;
  Dataset background;  // no rows: covers
  Players players;
  PathForest forest;
  ScoreSpace everything;  // for all classes
  std::vector<double> expected;
};

}  // namespace simplexboost
