// The devices of CUDA, where the library is built with it (cuda_device.cu).
#pragma once

#include <memory>

#include "cuda/device.h"

namespace simplexboost {

// The GPU of that number; `checked`: with a mirror. Throws a ParameterError where there is none.
std::shared_ptr<Device> open_cuda_device(int number, bool checked);

int cuda_device_count();  // 0 where there is none

// Sums over the GPUs of the ranks, the calling thread's being that of this one; null where NCCL is
// not there on all of them, or two share a GPU (nccl_exchange.cu).
std::unique_ptr<DeviceExchange> make_nccl_exchange(Communicator& ranks, void* stream);

// The GPU that some memory is of, when all that others have it do is done. Throws a DataError where
// it is of none.
int cuda_device_of(const void* memory);

}  // namespace simplexboost
