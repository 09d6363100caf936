#include "base/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <optional>
#include <utility>

#include "simplexboost/error.h"

namespace simplexboost {
namespace {

std::mutex rules_mutex;

MemoryRules& shared_rules() {
  static MemoryRules rules;
  return rules;
}

std::uint64_t page_bytes() { return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }

// The number that a file holds; nothing where it is not there, or holds a word such as "max".
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

// The number behind a name in a file of such lines.
std::optional<std::uint64_t> number_behind(const std::string& path, std::string_view name) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  for (std::string word; file >> word;)
    if (word == name && file >> number) return number;
  return std::nullopt;
}

// Where a version of control groups is, and what its files are called.
struct GroupFiles {
  std::string_view controllers;  // of its line in /proc/self/cgroup
  std::string_view folder, most, taken, of_files;
};
constexpr std::array kGroupFiles{
    GroupFiles{"", "/sys/fs/cgroup", "/memory.max", "/memory.current", "inactive_file"},
    GroupFiles{"memory", "/sys/fs/cgroup/memory", "/memory.limit_in_bytes",
               "/memory.usage_in_bytes", "total_inactive_file"},
};

// The group that this process is in, as "/a/b"; "" where it is in none but the first.
std::string group_of_process(const std::string& root, std::string_view controllers) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {  // 4:cpu,memory:/a/b
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string listed = "," + line.substr(first + 1, second - first - 1) + ",";
    if (listed.find(fmt::format(",{},", controllers)) == std::string::npos) continue;
    const std::string group = line.substr(second + 1);
    return group == "/" ? "" : group;
  }
  return "";
}

// As `ulimit -v` has it: what a process may map, whether it is used or not.
void obey_process_limit(SystemMemory& memory) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const std::uint64_t most = limit.rlim_cur;
  const std::uint64_t mapped = number_in("/proc/self/statm").value_or(0) * page_bytes();
  memory.most = std::min(memory.most, most);
  memory.free = std::min(memory.free, most - std::min(most, mapped));
}

// A group may take no more than those that it is in; within a container the first folder is its
// own, whatever the path says.
void obey_groups(const std::string& root, const GroupFiles& files, SystemMemory& memory) {
  std::string group = group_of_process(root, files.controllers);
  for (;;) {
    const std::string folder = fmt::format("{}{}{}", root, files.folder, group);
    const auto most = number_in(folder + std::string(files.most));
    const auto taken = number_in(folder + std::string(files.taken));
    if (most && taken) {
      const std::uint64_t cached =
          number_behind(folder + "/memory.stat", files.of_files).value_or(0);
      const std::uint64_t kept = *taken - std::min(*taken, cached);
      memory.most = std::min(memory.most, *most);
      memory.free = std::min(memory.free, *most - std::min(*most, kept));
    }
    if (group.empty()) return;
    group.resize(std::min(group.rfind('/'), group.size()));
  }
}

bool has_rule() {
  const std::lock_guard lock(rules_mutex);
  return shared_rules().most > 0;
}

bool fits(double bytes) {
  // A rule is a bound on what many arrays take together; to ask the system takes longer.
  constexpr double kSmall = 1 << 24;
  constexpr double kSmallUnderRule = 1 << 16;
  return bytes <= (has_rule() ? kSmallUnderRule : kSmall) ||
         bytes <= static_cast<double>(available_memory());
}

[[noreturn]] void refuse(const std::string& what, double bytes) {
  throw DataError(fmt::format("{} would take {}, and {} {}, of which {} are free", what,
                              size_text(bytes),
                              has_rule() ? "max-memory allows" : "this machine has",
                              size_text(static_cast<double>(physical_memory())),
                              size_text(static_cast<double>(available_memory()))));
}

}  // namespace

SystemMemory system_memory(const std::string& root) {
  const std::uint64_t all = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * page_bytes();
  const auto kilobytes = [&](std::string_view name, std::uint64_t otherwise) {
    const auto number = number_behind(root + "/proc/meminfo", name);
    return number ? *number << 10U : otherwise;
  };
  SystemMemory memory;
  memory.most = kilobytes("MemTotal:", all);
  memory.free = kilobytes("MemAvailable:", memory.most);
  for (const GroupFiles& files : kGroupFiles) obey_groups(root, files, memory);
  obey_process_limit(memory);
  return memory;
}

std::uint64_t physical_memory() {
  const std::uint64_t rule = memory_rules().most;
  const std::uint64_t most = system_memory().most;
  return rule > 0 ? std::min(rule, most) : most;
}

std::uint64_t available_memory() {
  if (!has_rule()) return system_memory().free;
  const std::uint64_t most = physical_memory();
  return most - std::min(most, resident_memory());
}

std::uint64_t resident_memory() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  if (!(file >> all >> resident)) return 0;
  return resident * page_bytes();
}

std::string bins_folder(const MemoryRules& rules) {
  if (!rules.bins_folder.empty()) return rules.bins_folder;
  const char* const folder = std::getenv("TMPDIR");
  return folder && *folder != '\0' ? folder : "/tmp";
}

std::string size_text(double bytes) {
  constexpr double kStep = 1024;
  if (bytes < kStep * kStep) return fmt::format("{:.0f} KB", bytes / kStep);
  if (bytes < kStep * kStep * kStep) return fmt::format("{:.0f} MB", bytes / (kStep * kStep));
  return fmt::format("{:.1f} GB", bytes / (kStep * kStep * kStep));
}

void require_bytes(const std::string& what, double bytes) {
  if (!fits(bytes)) refuse(what, bytes);
}

void require_memory(const std::string& what, std::uint64_t rows, std::uint64_t columns,
                    std::uint64_t size) {
  const double bytes =
      static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(size);
  if (!fits(bytes)) refuse(fmt::format("{} of {} x {}", what, rows, columns), bytes);
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
