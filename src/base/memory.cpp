#include "base/memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <utility>

#include "simplexboost/error.h"

namespace simplexboost {
namespace {

std::mutex rules_mutex;

MemoryRules& shared_rules() {
  static MemoryRules rules;
  return rules;
}

std::uint64_t machine_memory() {
  const std::uint64_t machine = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                                static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::ifstream limit("/sys/fs/cgroup/memory.max");
  std::uint64_t allowed = 0;
  return limit >> allowed && allowed > 0 ? std::min(machine, allowed) : machine;
}

}  // namespace

std::uint64_t physical_memory() {
  const std::uint64_t most = memory_rules().most;
  return most > 0 ? std::min(most, machine_memory()) : machine_memory();
}

std::uint64_t resident_memory() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  if (!(file >> all >> resident)) return 0;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::string bins_folder(const MemoryRules& rules) {
  if (!rules.bins_folder.empty()) return rules.bins_folder;
  const char* const folder = std::getenv("TMPDIR");
  return folder && *folder != '\0' ? folder : "/tmp";
}

void require_memory(const std::string& what, std::uint64_t rows, std::uint64_t columns,
                    std::uint64_t size) {
  constexpr double kGigabyte = 1 << 30;
  const double bytes =
      static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(size);
  const auto memory = static_cast<double>(physical_memory());
  if (bytes <= memory) return;
  const bool ruled = physical_memory() < machine_memory();
  throw DataError(fmt::format(
      "{} of {} x {} would take {:.1f} GB, and {} {:.1f}", what, rows, columns, bytes / kGigabyte,
      ruled ? "max-memory allows" : "this machine has", memory / kGigabyte));
}

}  // namespace simplexboost

namespace simplexboost::inline SIMPLEXBOOST_ABI {

void set_memory_rules(MemoryRules rules) {
  const std::lock_guard lock(rules_mutex);
  shared_rules() = std::move(rules);
}

MemoryRules memory_rules() {
  const std::lock_guard lock(rules_mutex);
  return shared_rules();
}

std::uint64_t parse_memory(std::string_view text, std::string_view name) {
  constexpr std::string_view kUnits = "KMGT";
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (!unit.empty() && (unit.back() == 'B' || unit.back() == 'b')) unit.remove_suffix(1);
  double factor = 1;
  bool known = unit.empty();
  for (const char one : kUnits) {
    factor *= 1024;
    const bool same = unit.size() == 1 && (unit[0] == one || unit[0] == one - 'A' + 'a');
    if (!same) continue;
    known = true;
    break;
  }
  if (unit.empty()) factor = 1;
  const double bytes = number * factor;
  if (error != std::errc() || !known || !(bytes >= 1) || !(bytes < 0x1p63))
    throw ParameterError(
        fmt::format("{}: '{}' is no size; give one like 800M or 2.5G", name, text));
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
