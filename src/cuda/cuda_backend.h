// The devices of CUDA, where the library is built with it (cuda_device.cu).
#pragma once

#include <memory>

#include "cuda/device.h"

namespace simplexboost {

// The GPU of that number; `checked`: with a mirror. Throws a ParameterError where there is none.
std::shared_ptr<Device> open_cuda_device(int number, bool checked);

}  // namespace simplexboost
