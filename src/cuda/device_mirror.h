// A copy, here, of all memory of a device: each kernel runs on both, emulated here, and what they
// wrote is compared. Slow, and for the tests on a GPU: where it errs, this says which kernel did.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

namespace simplexboost {

class DeviceMirror {
 public:
  using Download = std::function<void(void* to, const void* from, std::size_t bytes)>;

  explicit DeviceMirror(Download download) : download_(std::move(download)) {}

  void allocated(const void* memory, std::size_t bytes);
  void released(const void* memory) { copies_.erase(static_cast<const std::byte*>(memory)); }
  // Where the copy of some memory of the device is; what is none is given back.
  void* here(const void* there);
  // Replaces the addresses in a kernel by those of the copies.
  void bring_here(void* kernel, std::size_t bytes);
  // Throws an IoError that names the kernel and the first number that differs.
  void compare(const char* kernel);

 private:
  Download download_;
  std::map<const std::byte*, std::vector<std::byte>> copies_;
};

}  // namespace simplexboost
