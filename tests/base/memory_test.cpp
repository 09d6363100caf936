#include "base/memory.h"

#include <gtest/gtest.h>

#include "base/message_of.h"

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
  set_memory_rules({1U << 20, ""});
  EXPECT_EQ(physical_memory(), 1U << 20);
  EXPECT_NO_THROW(require_memory("a table", 1000, 1000, 1));
  EXPECT_EQ(testing::message_of([] { require_memory("a table", 10'000, 1000, 8); }),
            "a table of 10000 x 1000 would take 0.1 GB, and max-memory allows 0.0");
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
