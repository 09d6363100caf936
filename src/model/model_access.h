// How the library's own sources reach what is behind a model.
#pragma once

#include <memory>
#include <utility>

#include "model/ensemble.h"
#include "model/predict/model_devices.h"
#include "model/predict/predictor.h"
#include "simplexboost/model.h"

namespace simplexboost {

class DeviceForest;

// All that a model is. The predictor looks at the ensemble.
struct Model::State {
  explicit State(std::shared_ptr<const Ensemble> whole)
      : ensemble(std::move(whole)), predictor(*ensemble) {}

  std::shared_ptr<const Ensemble> ensemble;
  Predictor predictor;
  std::shared_ptr<DeviceForest> device = nullptr;  // that predicts; null: none
};

struct Model::Access {
  using State = Model::State;
  // `whole` must have passed check_ensemble.
  static Model make(std::shared_ptr<const Ensemble> whole) {
    return Model(std::make_shared<const State>(std::move(whole)));
  }
  static Model make(std::shared_ptr<const State> state) { return Model(std::move(state)); }
  static const State& state(const Model& model) { return *model.state_; }
};

// Throws ModelError if the ensemble is not sound.
Model make_model(std::shared_ptr<const Ensemble> ensemble);
Model make_model(Ensemble ensemble);

// Throws ModelError unless the data has the features of the model.
void check_columns(const Schema& schema, const Dataset& data);

inline const Ensemble& ensemble_of(const Model& model) {
  return *Model::Access::state(model).ensemble;
}

inline const Predictor& predictor_of(const Model& model) {
  return Model::Access::state(model).predictor;
}

}  // namespace simplexboost
