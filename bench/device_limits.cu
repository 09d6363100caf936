// Run by bench/cuda: what this GPU can do at most, beside which its kernels are judged. Prints how
// fast memory is read and written, and how many additions of integers to the memory that the
// threads of a block share it takes: each to a bin that a byte names, as histograms are filled.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

constexpr int kThreads = 512;
constexpr int kBins = 256;
constexpr int kLanes = 8;  // channels of a slice, as kSliceChannels has them
constexpr int kFeatures = 8;

__global__ void copy(const float4* from, float4* to, std::size_t count) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    to[i] = from[i];
}

// Nothing but the additions: bins come from a register, not from memory. kTurned: the threads of a
// warp are at different features, which lie side by side, so that none waits for another's bank, as
// FillHistograms has it; else they add to one feature after the other, and to the banks that chance
// gives them.
template <bool kTurned>
__global__ void add(int rounds, std::int32_t* out) {
  extern __shared__ std::int32_t sums[];
  for (int i = threadIdx.x; i < kBins * kLanes * kFeatures; i += kThreads) sums[i] = 0;
  __syncthreads();
  std::uint32_t random = (blockIdx.x * kThreads + threadIdx.x) / kLanes * 2654435761U + 1;
  const int lane = threadIdx.x % kLanes;
  const int turn = threadIdx.x % 32 / kLanes;
  for (int r = 0; r < rounds; ++r) {
    random = random * 1664525U + 1013904223U;
    for (int f = 0; f < kFeatures; ++f) {
      const std::uint32_t bin = random >> (f * 3) & 0xff;
      const int own = (f + turn) % 4;
      atomicAdd(kTurned ? sums + (f / 4 * kBins + bin) * 32 + own * kLanes + lane
                        : sums + (f * kBins + bin) * kLanes + lane,
                r);
    }
  }
  __syncthreads();
  if (sums[threadIdx.x] == 42) out[0] = 1;  // so that nothing is left out
}

template <class Run>
double median_seconds(const Run& run) {
  cudaEvent_t begin;
  cudaEvent_t end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  std::vector<float> times;
  for (int i = 0; i < 7; ++i) {
    cudaEventRecord(begin);
    run();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, begin, end);
    times.push_back(milliseconds);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2] / 1e3;
}

}  // namespace

int main() {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) {
    std::printf("there is no GPU here\n");
    return 1;
  }
  constexpr std::size_t kBytes = std::size_t{4} << 30;
  float4* from = nullptr;
  float4* to = nullptr;
  cudaMalloc(&from, kBytes);
  cudaMalloc(&to, kBytes);
  const int blocks = properties.multiProcessorCount * 16;
  const double copied =
      median_seconds([&] { copy<<<blocks, 512>>>(from, to, kBytes / sizeof(float4)); });
  constexpr int kRounds = 4000;
  constexpr std::size_t kShared = kBins * kLanes * kFeatures * sizeof(std::int32_t);
  const int many = properties.multiProcessorCount * 12;
  const auto rate = [&](auto kernel) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared);
    const double seconds = median_seconds(
        [&] { kernel<<<many, kThreads, kShared>>>(kRounds, reinterpret_cast<int*>(to)); });
    return 1.0 * many * kThreads * kRounds * kFeatures / seconds / 1e9;
  };
  const double by_chance = rate(add<false>);
  const double turned = rate(add<true>);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(error));
    return 1;
  }
  std::printf(
      "limits of %s: memory %.0f GB/s, additions to shared memory %.0f billion/s "
      "(%.0f where banks are met by chance)\n",
      properties.name, 2.0 * kBytes / copied / 1e9, turned, by_chance);
  return 0;
}
