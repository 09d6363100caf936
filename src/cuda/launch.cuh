// Kernels as a GPU runs them; for the files that nvcc compiles, each of which names its own.
#pragma once

#include <cuda_runtime.h>

#include "cuda/device.h"

namespace simplexboost {

// Throws an IoError that names the kernel, but for cudaSuccess (cuda_device.cu).
void check_launch(int error, const char* kernel);

template <class Kernel>
__global__ void __launch_bounds__(Kernel::kThreads) run_kernel(const Kernel kernel) {
  extern __shared__ __align__(16) unsigned char shared[];
  typename Kernel::Local local;
  const KernelThread self{blockIdx.x, threadIdx.x};
  const unsigned phases = kernel.phases();
  for (unsigned phase = 0; phase < phases; ++phase) {
    if (phase > 0) __syncthreads();
    kernel(phase, self, shared, local);
  }
}

template <class Kernel>
void launch_on_cuda(const Kernel& kernel, std::size_t blocks, void* stream) {
  const std::size_t bytes = kernel.shared_bytes();
  if (bytes > std::size_t{48} * 1024)
    check_launch(
        cudaFuncSetAttribute(run_kernel<Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)),
        Kernel::kName);
  run_kernel<Kernel><<<static_cast<unsigned>(blocks), Kernel::kThreads, bytes,
                       static_cast<cudaStream_t>(stream)>>>(kernel);
  check_launch(cudaGetLastError(), Kernel::kName);
}

}  // namespace simplexboost

#define SIMPLEXBOOST_LAUNCH(...) \
  template void launch_on_cuda<__VA_ARGS__>(const __VA_ARGS__&, std::size_t, void*);
