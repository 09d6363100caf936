// The values of some rows in the memory of a device: those of the host are brought there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cuda/device.h"
#include "cuda/kernels/device_column.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

class DeviceRows {
 public:
  // The device must outlive it.
  explicit DeviceRows(Device& device)
      : device_(device), values_(device, "rows"), columns_(device, "columns") {}

  // Bytes that a row takes of the device's memory.
  static std::size_t row_bytes(const Device& device, const Dataset& data,
                               std::span<const std::uint32_t> features);
  // These features of the rows [begin, end), counted from `begin`, until the next call.
  const DeviceColumn* bring(const Dataset& data, std::span<const std::uint32_t> features,
                            std::size_t begin, std::size_t end, int threads);

 private:
  Device& device_;
  std::vector<std::byte> staged_;
  DeviceArray<std::byte> values_;
  DeviceArray<DeviceColumn> columns_;
};

}  // namespace simplexboost
