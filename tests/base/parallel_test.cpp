#include "base/threads/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/threads/block_sums.h"

namespace simplexboost {
namespace {

// Doubles whose sum depends on the order: of blocks, and of these.
TEST(BlockSums, DoNotDependOnTheNumberOfThreads) {
  const auto sums_by = [](int threads) {
    const auto add = [](std::size_t begin, std::size_t end, double* sums) {
      for (std::size_t i = begin; i < end; ++i) {
        sums[0] += 1 / static_cast<double>(i + 1);
        sums[1] += 1;
      }
    };
    const std::vector<double> parts = block_sums<double>(threads, 1001, 64, 2, add);
    EXPECT_EQ(parts.size(), 2U * 16);
    std::vector<double> totals{0, 0.5};
    add_blocks(parts, 2, totals.data());
    return totals;
  };
  EXPECT_NEAR(sums_by(1)[0], 7.48647, 1e-5);
  EXPECT_EQ(sums_by(1)[1], 1001.5);
  EXPECT_EQ(sums_by(1), sums_by(3));
  EXPECT_TRUE(block_sums<int>(2, 0, 64, 2, [](std::size_t, std::size_t, int*) {}).empty());
}

class ParallelFor : public ::testing::TestWithParam<int> {};

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

TEST_P(ParallelFor, LoopsWithinLoopsRunOnTheirThread) {
  std::vector<int> calls(std::size_t{64} * 64);
  parallel_for(GetParam(), 64, [&](std::size_t i) {
    const int worker = worker_index();
    parallel_for(GetParam(), 64, [&](std::size_t j) {
      ++calls[i * 64 + j];
      EXPECT_EQ(worker_index(), worker);
    });
  });
  EXPECT_EQ(calls, std::vector<int>(std::size_t{64} * 64, 1));
}

TEST_P(ParallelFor, WorkersAreNumberedBelowTheThreads) {
  parallel_for(GetParam(), 2000, [&](std::size_t) {
    EXPECT_GE(worker_index(), 0);
    EXPECT_LT(worker_index(), GetParam());
  });
}

TEST_P(ParallelFor, ManyCallersAtOnceAllFinish) {
  std::vector<std::thread> callers;
  std::vector<std::size_t> sums(8);
  for (std::size_t& sum : sums) {
    callers.emplace_back([&sum] {
      for (int repeat = 0; repeat < 200; ++repeat) {
        std::vector<std::size_t> squares(50);
        parallel_for(GetParam(), squares.size(), [&](std::size_t i) { squares[i] = i * i; });
        sum += std::accumulate(squares.begin(), squares.end(), std::size_t{0});
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sums, std::vector<std::size_t>(8, std::size_t{200} * 40425));
}

TEST_P(ParallelFor, AForkedChildHasLoopsOfItsOwn) {
  const auto count = [&] {
    std::atomic<int> calls = 0;
    parallel_for(GetParam(), 100, [&](std::size_t) { ++calls; });
    return calls.load();
  };
  ASSERT_EQ(count(), 100);
  const pid_t child = fork();
  if (child == 0) _exit(count() == 100 ? 0 : 1);
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

INSTANTIATE_TEST_SUITE_P(Threads, ParallelFor, ::testing::Values(1, 2, 3, 7));

}  // namespace
}  // namespace simplexboost
