// Training: from a data set and parameters to a model.
#pragma once

#include <functional>
#include <string>

#include "simplexboost/dataset.h"
#include "simplexboost/model.h"
#include "simplexboost/parameters.h"
#include "simplexboost/progress.h"
#include "simplexboost/weak_learner.h"

namespace simplexboost {

struct TrainOptions {
  const Dataset* valid = nullptr;  // matched with the training data's schema
  Progress* progress = nullptr;
  MakeLearner make_learner;  // a weak learner of your own; Parameters::learner must be "auto" then
};

Model train(const Dataset& data, const Parameters& parameters, const TrainOptions& options = {});

}  // namespace simplexboost
