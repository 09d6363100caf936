// What of a training a device does: whole rounds, the trees alone, or nothing.
#pragma once

#include <memory>

#include "boosting/setup/composition.h"
#include "cuda/training_device.h"
#include "data/binned_dataset.h"

namespace simplexboost {

// Null where the parameters name none. Throws a ParameterError where they name one that is not
// there, or where nothing of this training runs on a device. `data` must outlive it, and so must
// the composition.
std::unique_ptr<TrainingDevice> make_training_device(const Composition& chosen,
                                                     const BinnedDataset& data);

}  // namespace simplexboost
