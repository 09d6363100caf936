// How the library's own sources reach what is behind a model.
#pragma once

#include <memory>
#include <utility>

#include "model/ensemble.h"
#include "model/predict/predictor.h"
#include "simplexboost/model.h"

namespace simplexboost {

// All that a model is. The predictor looks at the ensemble.
struct Model::State {
  explicit State(std::shared_ptr<const Ensemble> whole)
      : ensemble(std::move(whole)), predictor(*ensemble) {}

  std::shared_ptr<const Ensemble> ensemble;
  Predictor predictor;
};

struct Model::Access {
  // `whole` must have passed check_ensemble.
  static Model make(std::shared_ptr<const Ensemble> whole) {
    return Model(std::make_shared<const State>(std::move(whole)));
  }
  static const State& state(const Model& model) { return *model.state_; }
};

// Throws ModelError if the ensemble is not sound.
Model make_model(std::shared_ptr<const Ensemble> ensemble);
Model make_model(Ensemble ensemble);

// Throws unless the model can predict these rows, and has so many rounds; returns how many are
// meant, all of them by 0.
std::size_t check_predicted(const Model& model, const Dataset& data, std::size_t rounds);
// Throws ModelError unless the data has the features of the model.
void check_columns(const Schema& schema, const Dataset& data);

inline const Ensemble& ensemble_of(const Model& model) {
  return *Model::Access::state(model).ensemble;
}

inline const Predictor& predictor_of(const Model& model) {
  return Model::Access::state(model).predictor;
}

}  // namespace simplexboost
