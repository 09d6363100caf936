// Boosting that starts from a forest: the first scores of the rows are what the forest says of
// them, and its trees stay in the model, the first of two members whose log-probabilities add up.
#pragma once

#include <optional>
#include <vector>

#include "base/row_space.h"
#include "data/binned_dataset.h"
#include "model/ensemble.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"

namespace simplexboost {

struct ForestStart {
  Ensemble forest;
  std::optional<Ensemble> boosted;  // what was boosted from it before, as a model of its own
};

// Nothing where the model is neither a forest nor boosted from one.
std::optional<ForestStart> find_forest_start(const Model& model);

// Throws ParameterError unless `boosted`, still without rounds, can start from the forest.
void check_forest_start(const Ensemble& forest, const Ensemble& boosted, const std::string& source);

// Scores, rows x classes, of rows that the forest has not seen, for a model of this link's scale.
std::vector<float> start_scores(const Ensemble& forest, const Dataset& data, double link_scale,
                                int threads);

// The same of those that it was trained on: of each, by the trees that did not see it. Its own
// leaves would say that all is known. Throws ParameterError where these, with those of the other
// ranks, are other rows, or where no tree left any out.
std::vector<float> unseen_start_scores(const Ensemble& forest, const Dataset& data,
                                       const BinnedDataset& bins, double link_scale,
                                       const RowSpace& space);

// The model of both; its rounds are those of `boosted`, and the forest is there from the first on.
Ensemble join_forest_start(const Ensemble& forest, const Ensemble& boosted);

}  // namespace simplexboost
