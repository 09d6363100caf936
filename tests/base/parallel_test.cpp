#include "base/parallel.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace simplexboost {
namespace {

class ParallelFor : public testing::TestWithParam<int> {};

TEST_P(ParallelFor, CallsEveryTaskOnce) {
  std::vector<int> calls(1000);
  parallel_for(GetParam(), calls.size(), [&](std::size_t i) { ++calls[i]; });
  EXPECT_EQ(calls, std::vector<int>(1000, 1));
}

TEST_P(ParallelFor, ThrowsTheFirstErrorByTaskNumber) {
  const auto fail = [](std::size_t i) {
    if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
  };
  try {
    parallel_for(GetParam(), 500, fail);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "7");
  }
}

TEST_P(ParallelFor, BlocksCoverTheRangeWithoutOverlap) {
  std::vector<int> calls(1001);
  parallel_blocks(GetParam(), calls.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ++calls[i];
  });
  EXPECT_EQ(calls, std::vector<int>(1001, 1));
}

TEST_P(ParallelFor, EmptyRangeCallsNothing) {
  int calls = 0;
  parallel_blocks(GetParam(), 0, 64, [&](std::size_t, std::size_t) { ++calls; });
  EXPECT_EQ(calls, 0);
}

INSTANTIATE_TEST_SUITE_P(Threads, ParallelFor, testing::Values(1, 2, 3, 7));

}  // namespace
}  // namespace simplexboost
