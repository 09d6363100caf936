// What a learner appends to a forest, evaluated through the model's own predictor: must agree with
// what the learner says of its rows.
#pragma once

#include <memory>

#include "learner/weak_learner.h"
#include "model/model_access.h"
#include "simplexboost/model.h"

namespace simplexboost::testing {

// Outputs (rows x width) of the learner's last hypothesis, times `factor`, on a data set.
inline Matrix packed_values(const WeakLearner& learner, const Dataset& data, std::size_t width,
                            double factor = 1) {
  auto ensemble = std::make_shared<Ensemble>();
  ensemble->schema = data.schema();
  for (std::size_t k = 0; k < width; ++k) ensemble->schema.classes.push_back(std::to_string(k));
  ensemble->forest.outputs = static_cast<std::uint32_t>(width);
  ensemble->bias.assign(width, 0);
  learner.append_to(ensemble->forest, factor);
  ensemble->forest.round_end = {static_cast<std::uint32_t>(ensemble->forest.trees.size())};
  return make_model(std::move(ensemble)).predict_scores(data);
}

}  // namespace simplexboost::testing
