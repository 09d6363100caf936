#include "simplexboost/train.h"

#include <limits>

#include "boosting/training.h"

namespace simplexboost {

Model train(const Dataset& data, const Parameters& parameters, const TrainOptions& options) {
  Training training(data, parameters, options);
  training.boost(std::numeric_limits<std::size_t>::max());
  return training.finish();
}

}  // namespace simplexboost
