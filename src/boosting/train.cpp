#include "simplexboost/train.h"
#include "base/stop.h"

#include <limits>

#include "boosting/training.h"

namespace simplexboost {

Model train(const Dataset& data, const Parameters& parameters, const TrainOptions& options) {
  Training training(data, parameters, options);
  try {
    training.boost(std::numeric_limits<std::size_t>::max());
  } catch (const Stopped&) {
    if (training.rounds() == 0) throw;  // the rounds before are a model
  }
  return training.finish();
}

}  // namespace simplexboost
