// Sums over the devices of the ranks that train together (base/communicator.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/communicator.h"
#include "cuda/device.h"

namespace simplexboost {

class DeviceExchange {
 public:
  virtual ~DeviceExchange() = default;
  // Element by element over the ranks, in place: arrays of `count` numbers in the memory of the
  // device, as many and as long on all of them.
  virtual void add_up(std::span<std::int32_t* const> arrays, std::size_t count) = 0;
};

// How many ranks before this one are on the same machine, by the names that they give; and whether
// all give different ones. All ranks ask together.
int rank_on_machine(Communicator& ranks, std::string_view machine);
bool all_differ(Communicator& ranks, std::string_view mine);
std::string machine_name();

// Null where there is one rank. From device to device by NCCL, where all ranks have it and a GPU
// each; else by way of the host. All ranks make theirs together.
std::unique_ptr<DeviceExchange> make_exchange(Device& device, Communicator& ranks);

}  // namespace simplexboost
