// GPUs of NVIDIA: memory, launches, errors. The kernels are in kernels/, the same as everywhere.
#include <cuda_runtime.h>

#include <cstring>
#include <memory>
#include <string>

#include "cuda/cuda_backend.h"
#include "cuda/device_exchange.h"
#include "cuda/kernels/binning_kernels.h"
#include "cuda/kernels/codeword_kernels.h"
#include "cuda/kernels/descent_kernels.h"
#include "cuda/kernels/histogram_kernels.h"
#include "cuda/kernels/leaf_kernels.h"
#include "cuda/kernels/loss_kernels.h"
#include "cuda/kernels/own_pulls_kernel.h"
#include "cuda/kernels/partition_kernels.h"
#include "cuda/kernels/scan_kernel.h"
#include "cuda/kernels/score_kernels.h"
#include "cuda/launch.cuh"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

[[noreturn]] void fail(cudaError_t error, const std::string& doing) {
  throw DeviceLost(doing, cudaGetErrorString(error));
}

void check(cudaError_t error, const char* doing) {
  if (error != cudaSuccess) fail(error, doing);
}

class CudaDevice final : public Device {
 public:
  CudaDevice(int number, bool checked) : number_(number) {
    if (checked)
      mirror_ = std::make_unique<DeviceMirror>(
          [this](void* to, const void* from, std::size_t bytes) { download(to, from, bytes); });
    select();
    check(cudaGetDeviceProperties(&properties_, number), "opening it");
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "opening it");
    check(cudaMallocHost(&staging_, kStaged), "opening it");
    check(cudaMallocHost(&arrived_, kStaged), "opening it");
  }
  ~CudaDevice() override {
    cudaSetDevice(number_);
    cudaStreamDestroy(stream_);
    cudaFreeHost(staging_);
    cudaFreeHost(arrived_);
  }

  std::string name() const override { return place() + " (" + properties_.name + ")"; }
  std::string place() const override { return "cuda:" + std::to_string(number_); }
  std::size_t free_memory() const override {
    select();
    std::size_t free = 0;
    std::size_t all = 0;
    check(cudaMemGetInfo(&free, &all), "asking for its memory");
    return free;
  }
  std::size_t most_shared_bytes() const override { return properties_.sharedMemPerBlockOptin; }

  void* allocate(std::size_t bytes, const char* what) override {
    select();
    void* memory = nullptr;
    const cudaError_t error = cudaMalloc(&memory, bytes > 0 ? bytes : 1);
    if (error == cudaSuccess && mirror_) {
      mirror_->allocated(memory, bytes);
      clear(memory, bytes);
    }
    if (error == cudaSuccess) return memory;
    cudaGetLastError();
    if (error != cudaErrorMemoryAllocation) fail(error, "taking memory");
    throw NoRoom(*this, what, bytes);
  }
  void release(void* memory) noexcept override {
    cudaSetDevice(number_);
    cudaFree(memory);
    if (mirror_) mirror_->released(memory);
  }
  void upload(void* to, const void* from, std::size_t bytes) override {
    // Small pieces go through memory that the GPU reads by itself, so that nobody waits for it.
    if (bytes > 0 && bytes <= kStaged / 4) {
      if (staged_ + bytes > kStaged) {
        wait();
        staged_ = 0;
      }
      std::memcpy(staging_ + staged_, from, bytes);
      move(to, staging_ + staged_, bytes, cudaMemcpyHostToDevice);
      staged_ += (bytes + 15) / 16 * 16;
    } else {
      move(to, from, bytes, cudaMemcpyHostToDevice);
    }
    if (mirror_ && bytes > 0) std::memcpy(mirror_->here(to), from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    const bool small = bytes <= kStaged;
    move(small ? arrived_ : to, from, bytes, cudaMemcpyDeviceToHost);
    wait();
    staged_ = 0;
    if (small) std::memcpy(to, arrived_, bytes);
  }
  void copy(void* to, const void* from, std::size_t bytes) override {
    move(to, from, bytes, cudaMemcpyDeviceToDevice);
    if (mirror_ && bytes > 0) std::memcpy(mirror_->here(to), mirror_->here(from), bytes);
  }
  void fetch(void* to, const void* from, std::size_t size, std::ptrdiff_t stride,
             std::size_t count) override {
    select();
    if (stride >= static_cast<std::ptrdiff_t>(size)) {
      check(cudaMemcpy2DAsync(to, size, from, static_cast<std::size_t>(stride), size, count,
                              cudaMemcpyDeviceToHost, stream_),
            "moving memory");
      return wait();
    }
    for (std::size_t i = 0; i < count; ++i)
      move(static_cast<unsigned char*>(to) + i * size,
           static_cast<const unsigned char*>(from) + static_cast<std::ptrdiff_t>(i) * stride, size,
           cudaMemcpyDeviceToHost);
    wait();
  }
  void clear(void* memory, std::size_t bytes) override {
    if (bytes == 0) return;
    select();
    check(cudaMemsetAsync(memory, 0, bytes, stream_), "clearing memory");
    if (mirror_) std::memset(mirror_->here(memory), 0, bytes);
  }
  std::unique_ptr<DeviceExchange> exchange_with(Communicator& ranks) override {
    select();
    return mirror_ ? nullptr : make_nccl_exchange(ranks, stream_);
  }
  void wait() override {
    select();
    check(cudaStreamSynchronize(stream_), "a kernel");
  }

 protected:
  void* stream() override {
    select();
    return stream_;
  }
  DeviceMirror* mirror() override { return mirror_.get(); }

 private:
  // Of the calling thread, and trainings may have several.
  void select() const { check(cudaSetDevice(number_), "choosing it"); }
  void move(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    if (bytes == 0) return;
    select();
    check(cudaMemcpyAsync(to, from, bytes, kind, stream_), "moving memory");
  }

  int number_;
  cudaDeviceProp properties_{};
  cudaStream_t stream_ = nullptr;
  static constexpr std::size_t kStaged = std::size_t{4} << 20;
  unsigned char* staging_ = nullptr;  // what is on its way to the device,
  std::size_t staged_ = 0;            // so much of it,
  unsigned char* arrived_ = nullptr;  // and what comes from there
  std::unique_ptr<DeviceMirror> mirror_;
};

}  // namespace

void check_launch(int error, const char* kernel) { check(static_cast<cudaError_t>(error), kernel); }

int cuda_device_of(const void* memory) {
  cudaPointerAttributes attributes{};
  const cudaError_t error = cudaPointerGetAttributes(&attributes, memory);
  cudaGetLastError();
  if (error != cudaSuccess || attributes.type == cudaMemoryTypeUnregistered)
    throw DataError("an array says that it is in the memory of a GPU, which does not know it");
  check(cudaSetDevice(attributes.device), "choosing it");
  check(cudaDeviceSynchronize(), "work of others");
  return attributes.device;
}

int cuda_device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

std::shared_ptr<Device> open_cuda_device(int number, bool checked) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0)
    throw ParameterError(std::string("device: there is no GPU that CUDA can use here (") +
                         cudaGetErrorString(error != cudaSuccess ? error : cudaErrorNoDevice) +
                         "); use --device cpu");
  if (number >= count)
    throw ParameterError("device: there is no cuda:" + std::to_string(number) +
                         "; the last is cuda:" + std::to_string(count - 1) +
                         "; use that, or --device cpu");
  return std::make_shared<CudaDevice>(number, checked);
}

SIMPLEXBOOST_LAUNCH(CountValues)
SIMPLEXBOOST_LAUNCH(TakeSample)
SIMPLEXBOOST_LAUNCH(FindUnseen)
SIMPLEXBOOST_LAUNCH(FindInfinity)
SIMPLEXBOOST_LAUNCH(FindBins)
SIMPLEXBOOST_LAUNCH(NumberRows)
SIMPLEXBOOST_LAUNCH(FindSides<std::uint8_t>)
SIMPLEXBOOST_LAUNCH(FindSides<std::uint16_t>)
SIMPLEXBOOST_LAUNCH(PlaceTasks)
SIMPLEXBOOST_LAUNCH(MoveRows)
SIMPLEXBOOST_LAUNCH(TakeBack)
SIMPLEXBOOST_LAUNCH(SumRows)
SIMPLEXBOOST_LAUNCH(AssignLeaves)
SIMPLEXBOOST_LAUNCH(WalkTree<std::uint8_t>)
SIMPLEXBOOST_LAUNCH(WalkTree<std::uint16_t>)
SIMPLEXBOOST_LAUNCH(ClearHistograms)
SIMPLEXBOOST_LAUNCH(FillHistograms<std::uint8_t>)
SIMPLEXBOOST_LAUNCH(FillHistograms<std::uint16_t>)
SIMPLEXBOOST_LAUNCH(RunningSums)
SIMPLEXBOOST_LAUNCH(SubtractHistograms)
SIMPLEXBOOST_LAUNCH(ScanCuts)
SIMPLEXBOOST_LAUNCH(SumAbsolute)
SIMPLEXBOOST_LAUNCH(AddBlocks)
SIMPLEXBOOST_LAUNCH(Quantise)
SIMPLEXBOOST_LAUNCH(LargestSize)
SIMPLEXBOOST_LAUNCH(SumLeaves)
SIMPLEXBOOST_LAUNCH(MoveScores)
SIMPLEXBOOST_LAUNCH(FillScores)
SIMPLEXBOOST_LAUNCH(AddScores)
SIMPLEXBOOST_LAUNCH(FindMargins)
SIMPLEXBOOST_LAUNCH(TrueProbabilities)
SIMPLEXBOOST_LAUNCH(SumBeaten)
SIMPLEXBOOST_LAUNCH(FillPulls)
SIMPLEXBOOST_LAUNCH(SumRowTerms)
SIMPLEXBOOST_LAUNCH(ChunkRisks)
SIMPLEXBOOST_LAUNCH(MapScores)
SIMPLEXBOOST_LAUNCH(PullBack)
SIMPLEXBOOST_LAUNCH(WeighPulls)
SIMPLEXBOOST_LAUNCH(SumSlopes)
SIMPLEXBOOST_LAUNCH(SumNamed)
SIMPLEXBOOST_LAUNCH(OwnPulls)

}  // namespace simplexboost
