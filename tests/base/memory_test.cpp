#include "base/memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "base/message_of.h"
#include "base/peak_memory.h"

namespace simplexboost {
namespace {

TEST(Memory, WhatCannotFitIsRefusedWithItsSize) {
  EXPECT_GT(physical_memory(), 1U << 20);
  EXPECT_NO_THROW(require_memory("a table", 1000, 1000, 8));
  const std::string message =
      testing::message_of([] { require_memory("a table", 1ULL << 60, 1ULL << 60, 8); });
  EXPECT_EQ(message.rfind("a table of 1152921504606846976 x 1152921504606846976 would take ", 0),
            0U)
      << message;
}

// Restores the rules of the process.
struct RulesGuard {
  MemoryRules before = memory_rules();
  ~RulesGuard() { set_memory_rules(before); }
};

TEST(Memory, RulesAllowLessThanTheMachineHas) {
  const RulesGuard guard;
  const std::uint64_t most = resident_memory() + (64U << 20);
  set_memory_rules({most, ""});
  EXPECT_EQ(physical_memory(), most);
  EXPECT_LE(available_memory(), 64U << 20);
  EXPECT_NO_THROW(require_memory("a table", 32, 1 << 20, 1));
  const std::string said = testing::message_of([] { require_memory("a table", 10'000, 1000, 8); });
  EXPECT_EQ(said.rfind("a table of 10000 x 1000 would take 76 MB, and max-memory allows ", 0), 0U)
      << said;
  EXPECT_NE(said.find(" MB, of which "), std::string::npos) << said;
  set_memory_rules({1U << 20, ""});
  EXPECT_EQ(available_memory(), 0U);
  EXPECT_NO_THROW(require_memory("a few numbers", 1000, 1, 8));
}

TEST(Memory, SizesAreToldInTheUnitThatFits) {
  EXPECT_EQ(size_text(640 << 10), "640 KB");
  EXPECT_EQ(size_text(35 << 20), "35 MB");
  EXPECT_EQ(size_text(2.5 * (1 << 30)), "2.5 GB");
}

// A folder that stands for the root of a system.
class FakeSystem {
 public:
  FakeSystem() {
    write("/proc/meminfo", "MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: 800 kB\n");
  }
  ~FakeSystem() { std::filesystem::remove_all(root_); }
  FakeSystem(const FakeSystem&) = delete;
  FakeSystem& operator=(const FakeSystem&) = delete;

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path whole = root_.string() + path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }
  // In kB, as the file of the system has it.
  std::pair<std::uint64_t, std::uint64_t> most_and_free() const {
    const SystemMemory memory = system_memory(root_.string());
    return {memory.most >> 10U, memory.free >> 10U};
  }

 private:
  std::filesystem::path root_ =
      std::filesystem::path(::testing::TempDir()) / ("memory-" + std::to_string(::getpid()));
};

using Sizes = std::pair<std::uint64_t, std::uint64_t>;

TEST(Memory, WithoutGroupsIsThatOfTheMachine) {
  const FakeSystem system;
  EXPECT_EQ(system.most_and_free(), Sizes(1000, 800));
  system.write("/proc/self/cgroup", "0::/\n");
  EXPECT_EQ(system.most_and_free(), Sizes(1000, 800));
}

TEST(Memory, OfAGroupIsNoMoreThanThatOfThoseThatItIsIn) {
  const FakeSystem system;
  system.write("/proc/self/cgroup", "0::/outer/inner\n");
  system.write("/sys/fs/cgroup/outer/inner/memory.max", "max\n");
  system.write("/sys/fs/cgroup/outer/inner/memory.current", "102400\n");
  EXPECT_EQ(system.most_and_free(), Sizes(1000, 800));
  // 500 kB, of which 300 are taken; 100 of these are files that the system can give up.
  system.write("/sys/fs/cgroup/outer/memory.max", "512000\n");
  system.write("/sys/fs/cgroup/outer/memory.current", "307200\n");
  system.write("/sys/fs/cgroup/outer/memory.stat", "anon 204800\ninactive_file 102400\n");
  EXPECT_EQ(system.most_and_free(), Sizes(500, 300));
  system.write("/sys/fs/cgroup/outer/inner/memory.max", "204800\n");
  EXPECT_EQ(system.most_and_free(), Sizes(200, 100));
}

TEST(Memory, OfAContainerIsThatOfTheFolderThatItSees) {
  const FakeSystem system;
  system.write("/proc/self/cgroup", "0::/docker/1234\n");
  system.write("/sys/fs/cgroup/memory.max", "409600\n");
  system.write("/sys/fs/cgroup/memory.current", "102400\n");
  EXPECT_EQ(system.most_and_free(), Sizes(400, 300));
}

TEST(Memory, OfGroupsOfTheFirstVersionIsKnown) {
  const FakeSystem system;
  const std::string group = "/sys/fs/cgroup/memory/a";
  system.write("/proc/self/cgroup", "5:cpu,cpuacct:/other\n4:memory:/a\n0::/\n");
  system.write(group + "/memory.limit_in_bytes", "409600\n");
  system.write(group + "/memory.usage_in_bytes", "204800\n");
  system.write(group + "/memory.stat", "total_inactive_file 51200\n");
  system.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  system.write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "204800\n");
  EXPECT_EQ(system.most_and_free(), Sizes(400, 250));
}

TEST(Memory, ALimitOfTheProcessIsObeyed) {
  if (!testing::kMeasures) GTEST_SKIP() << "a sanitizer maps more than any limit";
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit low = before;
  low.rlim_cur = rlim_t{64} << 30U;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &low), 0);
  FakeSystem system;
  system.write("/proc/meminfo", "MemTotal: 1000000000 kB\nMemAvailable: 900000000 kB\n");
  const auto [most, free] = system.most_and_free();
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(most, std::uint64_t{64} << 20U);
  EXPECT_LT(free, most);
  EXPECT_GT(free, most / 2);
}

TEST(Memory, SizesAreReadAsPeopleWriteThem) {
  EXPECT_EQ(parse_memory("1000", "x"), 1000U);
  EXPECT_EQ(parse_memory("2k", "x"), 2048U);
  EXPECT_EQ(parse_memory("800M", "x"), std::uint64_t{800} << 20);
  EXPECT_EQ(parse_memory("2.5GB", "x"), std::uint64_t{5} << 29);
  EXPECT_EQ(parse_memory("1T", "x"), std::uint64_t{1} << 40);
  for (const char* text : {"", "G", "-1G", "0", "2X", "2 G", "nan", "inf", "1e300", "2GG", "B"})
    EXPECT_EQ(testing::message_of([&] { parse_memory(text, "max-memory"); }),
              std::string("max-memory: '") + text + "' is no size; give one like 800M or 2.5G");
}

TEST(Memory, TellsWhatTheProcessHas) { EXPECT_GT(resident_memory(), 1U << 20); }

}  // namespace
}  // namespace simplexboost
