#include "cuda/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <new>
#include <optional>

#include "base/memory.h"
#include "cuda/cuda_backend.h"
#include "cuda/device_exchange.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::string_view kCuda = "cuda";
constexpr std::string_view kEmulated = "emulated";
constexpr std::string_view kFailing = "failing";
constexpr std::string_view kChecked = "checked";

// Its memory is that of this process, or so much of it.
class EmulatedDevice : public Device {
 public:
  explicit EmulatedDevice(std::size_t memory) : free_(memory) {}

  std::string name() const override { return std::string(kEmulated); }
  std::string place() const override { return std::string(kEmulated); }
  std::size_t free_memory() const override { return free_; }
  std::size_t most_shared_bytes() const override { return std::size_t{48} * 1024; }
  void* allocate(std::size_t bytes, const char* what) override {
    if (bytes > free_) throw NoRoom(*this, what, bytes);
    void* const memory = ::operator new(bytes);
    sizes_[memory] = bytes;
    free_ -= bytes;
    return memory;
  }
  void release(void* memory) noexcept override {
    const auto found = sizes_.find(memory);
    free_ += found->second;
    sizes_.erase(found);
    ::operator delete(memory);
  }
  void upload(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void copy(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void fetch(void* to, const void* from, std::size_t size, std::ptrdiff_t stride,
             std::size_t count) override {
    const auto* place = static_cast<const std::byte*>(from);
    for (std::size_t i = 0; i < count; ++i, place += stride)
      std::memcpy(static_cast<std::byte*>(to) + i * size, place, size);
  }
  void clear(void* memory, std::size_t bytes) override { std::memset(memory, 0, bytes); }
  void wait() override {}

 private:
  std::size_t free_;
  std::map<void*, std::size_t> sizes_;
};

// It is lost after so many kernels.
class FailingDevice final : public EmulatedDevice {
 public:
  FailingDevice(std::size_t memory, std::size_t kernels) : EmulatedDevice(memory), left_(kernels) {}

 private:
  void launching(const char* kernel) override {
    if (left_ == 0) throw DeviceLost(kernel, "a failure for tests");
    --left_;
  }

  std::size_t left_;
};

// The number N of "KIND:N"; nothing: the name is none of that kind.
std::optional<std::size_t> number_behind(std::string_view kind, std::string_view name) {
  if (!name.starts_with(kind) || name.size() < kind.size() + 2 || name[kind.size()] != ':')
    return std::nullopt;
  std::size_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [last, error] = std::from_chars(name.data() + kind.size() + 1, end, number);
  if (error != std::errc() || last != end) return std::nullopt;
  return number;
}

// Of an emulated device; nothing: the name is none of such a device.
std::optional<std::size_t> emulated_memory(std::string_view name) {
  if (name == kEmulated) return physical_memory() / 2;
  return number_behind(kEmulated, name);
}

// The number behind "cuda"; -1: the name is none of a GPU.
int cuda_number(std::string_view name) {
  if (name == kCuda) return 0;
  const std::optional<std::size_t> number = number_behind(kCuda, name);
  return number && *number <= std::numeric_limits<int>::max() ? static_cast<int>(*number) : -1;
}

std::string no_room_text(const Device& device, const char* what, std::size_t bytes) {
  constexpr double kMegabyte = 1e6;
  return fmt::format(
      "{} has no room for {}: {:.1f} MB wanted, {:.1f} MB free; use fewer rows or --device cpu",
      device.name(), what, static_cast<double>(bytes) / kMegabyte,
      static_cast<double>(device.free_memory()) / kMegabyte);
}

}  // namespace

NoRoom::NoRoom(const Device& device, const char* what, std::size_t bytes)
    : DataError(no_room_text(device, what, bytes)) {}

DeviceLost::DeviceLost(const std::string& doing, const std::string& reason)
    : IoError(fmt::format("the GPU failed in '{}' ({}); start the program again, or use --device "
                          "cpu",
                          doing, reason)) {}

std::unique_ptr<DeviceExchange> Device::exchange_with(Communicator&) { return nullptr; }

std::chrono::steady_clock::time_point Device::start_clock() {
  wait();
  return std::chrono::steady_clock::now();
}

void Device::stop_clock(const char* name, std::chrono::steady_clock::time_point before) {
  wait();
  const auto after = std::chrono::steady_clock::now();
  DeviceProfile::all().add(name, std::chrono::duration<double>(after - before).count());
}

DeviceProfile& DeviceProfile::all() {
  static DeviceProfile profile;
  return profile;
}

void DeviceProfile::set(bool on) {
  const std::lock_guard lock(mutex_);
  if (on) times_.clear();
  on_ = on;
}

void DeviceProfile::add(const char* kernel, double seconds) {
  const std::lock_guard lock(mutex_);
  Time& time = times_[kernel];
  ++time.runs;
  time.seconds += seconds;
}

void DeviceProfile::add_work(const char* kernel, double work) {
  if (!on()) return;
  const std::lock_guard lock(mutex_);
  times_[kernel].work += work;
}

void DeviceProfile::add_bytes(const char* kernel, std::size_t bytes) {
  if (!on()) return;
  const std::lock_guard lock(mutex_);
  times_[kernel].bytes += static_cast<double>(bytes);
}

std::map<std::string, DeviceProfile::Time> DeviceProfile::times() const {
  const std::lock_guard lock(mutex_);
  return times_;
}

bool names_device(std::string_view name) {
  if (name == "cpu") return false;
  if (emulated_memory(name) || number_behind(kFailing, name)) return true;
  if (name == kChecked || cuda_number(name) >= 0) return true;
  throw ParameterError(fmt::format(
      "device: '{}' is none; expected cpu, cuda or cuda:N, N the number of a GPU", name));
}

std::string device_of_rank(std::string_view name, Communicator& ranks) {
  const int number = rank_on_machine(ranks, machine_name());
#if defined(SIMPLEXBOOST_CUDA)
  if (name == kCuda) return fmt::format("cuda:{}", number % std::max(cuda_device_count(), 1));
#else
  static_cast<void>(number);
#endif
  return std::string(name);
}

std::shared_ptr<Device> open_device(std::string_view name) {
  if (const auto memory = emulated_memory(name)) return std::make_shared<EmulatedDevice>(*memory);
  if (const auto kernels = number_behind(kFailing, name))
    return std::make_shared<FailingDevice>(physical_memory() / 2, *kernels);
#if defined(SIMPLEXBOOST_CUDA)
  return name == kChecked ? open_cuda_device(0, true) : open_cuda_device(cuda_number(name), false);
#else
  throw ParameterError(fmt::format(
      "device: '{}' takes a build with CUDA, which this is not; build with cmake --preset cuda "
      "(docs/gpu.md), or use --device cpu",
      name));
#endif
}

}  // namespace simplexboost
