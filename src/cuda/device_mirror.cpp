#include "cuda/device_mirror.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "simplexboost/error.h"

namespace simplexboost {

void DeviceMirror::allocated(const void* memory, std::size_t bytes) {
  copies_[static_cast<const std::byte*>(memory)].resize(bytes);
}

void* DeviceMirror::here(const void* there) {
  const auto* const place = static_cast<const std::byte*>(there);
  auto after = copies_.upper_bound(place);
  if (after == copies_.begin()) return const_cast<void*>(there);
  auto& [begin, copy] = *--after;
  const auto offset = static_cast<std::size_t>(place - begin);
  return offset < copy.size() ? copy.data() + offset : const_cast<void*>(there);
}

void DeviceMirror::bring_here(void* kernel, std::size_t bytes) {
  auto* const members = static_cast<std::byte*>(kernel);
  for (std::size_t i = 0; i + sizeof(void*) <= bytes; i += sizeof(void*)) {
    const void* there = nullptr;
    std::memcpy(&there, members + i, sizeof there);
    const void* const copy = here(there);
    std::memcpy(members + i, &copy, sizeof copy);
  }
}

void DeviceMirror::compare(const char* kernel) {
  for (const auto& [begin, copy] : copies_) {
    std::vector<std::byte> there(copy.size());
    download_(there.data(), begin, there.size());
    if (there == copy) continue;
    std::size_t at = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i + 4 <= copy.size(); i += 4)
      if (std::memcmp(copy.data() + i, there.data() + i, 4) != 0 && count++ == 0) at = i;
    std::int32_t own = 0;
    std::int32_t other = 0;
    float own_number = 0;
    float other_number = 0;
    std::memcpy(&own, copy.data() + at, 4);
    std::memcpy(&other, there.data() + at, 4);
    std::memcpy(&own_number, &own, 4);
    std::memcpy(&other_number, &other, 4);
    throw IoError(
        fmt::format("the kernel '{}' gives {} words of {} that differ from the processor's, first "
                    "word {}: {:#x} "
                    "({:.9g}) on the device, {:#x} ({:.9g}) here",
                    kernel, count, copy.size() / 4, at / 4, other, other_number, own, own_number));
  }
}

}  // namespace simplexboost
