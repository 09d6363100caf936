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

}  // namespace
}  // namespace simplexboost
