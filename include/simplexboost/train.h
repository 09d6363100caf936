// Training: from a data set and parameters to a model.
#pragma once

#include <functional>
#include <string>

#include "simplexboost/dataset.h"
#include "simplexboost/model.h"
#include "simplexboost/parameters.h"
#include "simplexboost/progress.h"

namespace simplexboost {

struct TrainOptions {
  const Dataset* valid = nullptr;  // matched with the training data's schema
  Progress* progress = nullptr;
};

Model train(const Dataset& data, const Parameters& parameters, const TrainOptions& options = {});

}  // namespace simplexboost
