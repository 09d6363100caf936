#include "cuda/device_exchange.h"

#include <unistd.h>

#include <algorithm>
#include <array>
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

// What each rank says.
std::vector<std::string> gather_names(Communicator& ranks, std::string_view mine) {
  std::vector<std::size_t> sizes;
  const std::vector<std::byte> bytes =
      ranks.gather(std::as_bytes(std::span(mine.data(), mine.size())), &sizes);
  std::vector<std::string> names;
  const auto* at = reinterpret_cast<const char*>(bytes.data());
  for (const std::size_t size : sizes) {
    names.emplace_back(at, size);
    at += size;
  }
  return names;
}

}  // namespace

int rank_on_machine(Communicator& ranks, std::string_view machine) {
  const std::vector<std::string> names = gather_names(ranks, machine);
  return static_cast<int>(std::count(names.begin(), names.begin() + ranks.rank(), machine));
}

bool all_differ(Communicator& ranks, std::string_view mine) {
  std::vector<std::string> names = gather_names(ranks, mine);
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) == names.end();
}

std::string machine_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::unique_ptr<DeviceExchange> make_exchange(Device& device, Communicator& ranks) {
  if (ranks.size() == 1) return nullptr;
  if (auto direct = device.exchange_with(ranks)) return direct;
  return std::make_unique<HostExchange>(device, ranks);
}

}  // namespace simplexboost
