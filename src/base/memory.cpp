#include "base/memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "simplexboost/error.h"

namespace simplexboost {

std::uint64_t physical_memory() {
  const std::uint64_t machine = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                                static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::ifstream limit("/sys/fs/cgroup/memory.max");
  std::uint64_t allowed = 0;
  return limit >> allowed && allowed > 0 ? std::min(machine, allowed) : machine;
}

void require_memory(const std::string& what, std::uint64_t rows, std::uint64_t columns,
                    std::uint64_t size) {
  constexpr double kGigabyte = 1 << 30;
  const double bytes =
      static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(size);
  const auto memory = static_cast<double>(physical_memory());
  if (bytes <= memory) return;
  throw DataError(fmt::format("{} of {} x {} would take {:.1f} GB, and this machine has {:.1f}",
                              what, rows, columns, bytes / kGigabyte, memory / kGigabyte));
}

}  // namespace simplexboost
