// Columns that are in the memory of a device: of arrays that others made there.
#pragma once

#include <memory>
#include <string>

#include "cuda/device.h"
#include "data/device_memory.h"

namespace simplexboost {

// The memory of a device for columns (data/device_memory.h), to be read by several threads.
std::shared_ptr<const DeviceMemory> device_memory(std::shared_ptr<Device> device);

// The device whose memory `data` is, "cuda:0", when all that others have it do is done; `name`:
// what is asked to compute, and an emulated one has the memory of this process. Throws a
// ParameterError where the build has no CUDA.
std::string place_of_memory(const std::string& name, const void* data);

}  // namespace simplexboost
