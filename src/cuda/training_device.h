// The device of a training: one that has the rows of whole rounds, or one that trees are grown on;
// and that of rows which a training watches.
#pragma once

#include <memory>

#include "cuda/device.h"
#include "cuda/device_rounds.h"

namespace simplexboost {

struct TrainingDevice {
  std::shared_ptr<Device> device;
  std::unique_ptr<DeviceRounds> rounds = nullptr;       // null: trees alone
  std::unique_ptr<DeviceValidation> watched = nullptr;  // rows that trees are applied to
};

}  // namespace simplexboost
