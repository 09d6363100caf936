#include "cuda/device_exchange.h"

#include <vector>

namespace simplexboost {
namespace {

class HostExchange final : public DeviceExchange {
 public:
  HostExchange(Device& device, Communicator& ranks) : device_(device), ranks_(ranks) {}

  void add_up(std::span<std::int32_t* const> arrays, std::size_t count) override {
    const std::size_t bytes = count * sizeof(std::int32_t);
    std::vector<std::int32_t> here(arrays.size() * count);
    for (std::size_t i = 0; i < arrays.size(); ++i)
      device_.download(here.data() + i * count, arrays[i], bytes);
    ranks_.sum(std::span(here));
    for (std::size_t i = 0; i < arrays.size(); ++i)
      device_.upload(arrays[i], here.data() + i * count, bytes);
    device_.wait();  // for what is read of `here`
  }

 private:
  Device& device_;
  Communicator& ranks_;
};

}  // namespace

std::unique_ptr<DeviceExchange> make_exchange(Device& device, Communicator& ranks) {
  if (ranks.size() == 1) return nullptr;
  if (auto direct = device.exchange_with(ranks)) return direct;
  return std::make_unique<HostExchange>(device, ranks);
}

}  // namespace simplexboost
