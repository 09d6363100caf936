// A device that computes beside the processor: its memory, and kernels (kernel.h) that run on it. A
// GPU, where the library was built with CUDA; or one that is emulated here by loops over blocks and
// threads, slow and for tests, so that every build tests all that is done on a device.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/device_mirror.h"
#include "cuda/kernel.h"
#include "simplexboost/error.h"

namespace simplexboost {

// Defined where the library is built with CUDA (cuda_device.cu), for the kernels listed there.
template <class Kernel>
void launch_on_cuda(const Kernel& kernel, std::size_t blocks, void* stream);

// What the kernels of all devices took, for benchmarks: each run is waited for while it is on.
class DeviceProfile {
 public:
  struct Time {
    std::size_t runs = 0;
    double seconds = 0;
    double work = 0;   // additions, where they are counted
    double bytes = 0;  // that it has to read and write once, where they are counted
  };

  static DeviceProfile& all();

  bool on() const { return on_.load(std::memory_order_relaxed); }
  // Begins anew, or ends.
  void set(bool on);
  void add(const char* kernel, double seconds);
  void add_work(const char* kernel, double work);
  void add_bytes(const char* kernel, std::size_t bytes);
  std::map<std::string, Time> times() const;

 private:
  std::atomic<bool> on_ = false;
  mutable std::mutex mutex_;
  std::map<std::string, Time> times_;
};

class Communicator;
class DeviceExchange;

class Device {
 public:
  virtual ~Device() = default;
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  virtual std::string name() const = 0;   // "cuda:0 (NVIDIA H200)"
  virtual std::string place() const = 0;  // "cuda:0": whose memory it is
  virtual std::size_t free_memory() const = 0;
  virtual std::size_t most_shared_bytes() const = 0;  // that a block may have
  // What plans may count on: some is left to others, and to pieces being rounded up.
  std::size_t usable_memory() const {
    constexpr std::size_t kSpared = 16;
    const std::size_t free = free_memory();
    return free - free / kSpared;
  }

  // Throws NoRoom; the others, an IoError where the device is lost.
  virtual void* allocate(std::size_t bytes, const char* what) = 0;
  virtual void release(void* memory) noexcept = 0;
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;  // waits for kernels
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;      // within the device
  // Brings `count` pieces of `size` bytes here that are `stride` bytes apart there.
  virtual void fetch(void* to, const void* from, std::size_t size, std::ptrdiff_t stride,
                     std::size_t count) = 0;
  virtual void clear(void* memory, std::size_t bytes) = 0;
  virtual void wait() = 0;
  // Sums with the devices of other ranks that do not pass through the host; null where there are
  // none. All ranks ask together, and all get one or none.
  virtual std::unique_ptr<DeviceExchange> exchange_with(Communicator& ranks);

  template <class Kernel>
  void run(const Kernel& kernel, std::size_t blocks) {
    if (blocks == 0) return;
    const bool timed = DeviceProfile::all().on();
    const auto before = timed ? start_clock() : std::chrono::steady_clock::time_point();
    if (void* const queue = stream()) {
#if defined(SIMPLEXBOOST_CUDA)
      launch_on_cuda(kernel, blocks, queue);
      if (DeviceMirror* const copies = mirror()) {
        Kernel here = kernel;
        copies->bring_here(&here, sizeof here);
        emulate(here, blocks);
        copies->compare(Kernel::kName);
      }
#endif
    } else {
      launching(Kernel::kName);
      emulate(kernel, blocks);
    }
    if (timed) stop_clock(Kernel::kName, before);
  }

 protected:
  // Of a GPU; null: kernels are emulated.
  virtual void* stream() { return nullptr; }
  // Of an emulated one: whether it still does.
  virtual void launching(const char* /*kernel*/) {}
  // Of a GPU that is checked; null: not so.
  virtual DeviceMirror* mirror() { return nullptr; }

 private:
  template <class Kernel>
  static void emulate(const Kernel& kernel, std::size_t blocks);
  std::chrono::steady_clock::time_point start_clock();
  void stop_clock(const char* name, std::chrono::steady_clock::time_point before);
};

// Neither threads nor blocks run in their order, and what is shared holds nothing sensible at
// first: who relies on either is found out.
template <class Kernel>
void Device::emulate(const Kernel& kernel, std::size_t blocks) {
  constexpr unsigned kThreads = Kernel::kThreads;
  std::vector<std::max_align_t> shared(kernel.shared_bytes() / sizeof(std::max_align_t) + 1);
  std::vector<typename Kernel::Local> locals(kThreads);
  for (std::size_t b = blocks; b-- > 0;) {
    auto* const bytes = reinterpret_cast<std::byte*>(shared.data());
    std::fill_n(bytes, shared.size() * sizeof(std::max_align_t), std::byte{0xcd});
    for (unsigned phase = 0; phase < kernel.phases(); ++phase)
      for (unsigned t = 0; t < kThreads; ++t) {
        const unsigned thread = (b + phase) % 2 == 0 ? t : kThreads - 1 - t;
        kernel(phase, {b, thread}, shared.data(), locals[thread]);
      }
  }
}

// What a device says that has no room for so many bytes.
class NoRoom : public DataError {
 public:
  NoRoom(const Device& device, const char* what, std::size_t bytes);
};

// What a device says that does no more: a GPU of CUDA, whose driver takes no further call of this
// process.
class DeviceLost : public IoError {
 public:
  DeviceLost(const std::string& doing, const std::string& reason);
};

// "cuda", "cuda:1" or, for tests, "emulated", "emulated:BYTES" of memory, "failing:N", an emulated
// one that is lost after N kernels, and "checked", the first GPU with a mirror. Throws a
// ParameterError with the way out where there is no such device, or no CUDA in this build.
std::shared_ptr<Device> open_device(std::string_view name);
// The device of this rank of several: "cuda" deals the GPUs of a machine out to the ranks on it, in
// turn. All ranks ask together.
std::string device_of_rank(std::string_view name, Communicator& ranks);
// Whether it names one, and not the processor ("cpu"); throws where it is neither.
bool names_device(std::string_view name);

// Memory of a device for numbers of one type.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(Device& device, const char* what) : device_(&device), what_(what) {}
  DeviceArray(DeviceArray&& other) noexcept { *this = std::move(other); }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(what_, other.what_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~DeviceArray() {
    if (data_) device_->release(data_);
  }

  std::size_t size() const { return size_; }
  T* data() { return data_; }
  const T* data() const { return data_; }

  // What was in it is lost where it grows.
  void resize(std::size_t size) {
    if (size > capacity_) {
      if (data_) device_->release(data_);
      data_ = nullptr;
      capacity_ = 0;
      data_ = static_cast<T*>(device_->allocate(size * sizeof(T), what_));
      capacity_ = size;
    }
    size_ = size;
  }
  void clear() { device_->clear(data_, size_ * sizeof(T)); }
  void upload(std::span<const T> values) {
    resize(values.size());
    if (size_ > 0) device_->upload(data_, values.data(), size_ * sizeof(T));
  }
  void download(std::size_t first, std::span<T> values) const {
    if (!values.empty()) device_->download(values.data(), data_ + first, values.size() * sizeof(T));
  }
  std::vector<T> download() const {
    std::vector<T> values(size_);
    download(0, values);
    return values;
  }

 private:
  Device* device_ = nullptr;
  const char* what_ = "";
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// Blocks of `of` for so many.
constexpr std::size_t blocks_for(std::size_t count, std::size_t of) {
  return (count + of - 1) / of;
}

}  // namespace simplexboost
