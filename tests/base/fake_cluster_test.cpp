#include "base/fake_cluster.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/message_of.h"

namespace simplexboost::testing {
namespace {

TEST(FakeCluster, SumsAndTakesMaximaElementByElement) {
  for (const int size : {1, 2, 3, 5}) {
    FakeCluster cluster(size);
    std::atomic<int> seen = 0;
    cluster.run([&](Communicator& ranks) {
      ASSERT_EQ(ranks.size(), size);
      const int rank = ranks.rank();
      std::array<std::int32_t, 2> small = {rank, 10 * rank};
      std::array<std::int64_t, 1> large = {std::int64_t{1} << (40 + rank)};
      std::array<double, 2> real = {rank + 0.5, -rank - 1.0};
      std::array<double, 2> highest = real;
      std::array<std::int64_t, 1> highest_integer = {-rank};
      ranks.sum(small);
      ranks.sum(large);
      ranks.sum(real);
      ranks.maximum(highest);
      ranks.maximum(highest_integer);
      const int sum = size * (size - 1) / 2;
      EXPECT_EQ(small, (std::array<std::int32_t, 2>{sum, 10 * sum}));
      EXPECT_EQ(large[0], ((std::int64_t{1} << size) - 1) << 40);
      EXPECT_EQ(real, (std::array<double, 2>{sum + 0.5 * size, -double(sum) - size}));
      EXPECT_EQ(highest, (std::array<double, 2>{size - 0.5, -1.0}));
      EXPECT_EQ(highest_integer[0], 0);
      ranks.barrier();
      ++seen;
    });
    EXPECT_EQ(seen, size);
  }
}

TEST(FakeCluster, GathersSharesOfAnyLengthInTheOrderOfRanks) {
  FakeCluster(3).run([](Communicator& ranks) {
    const std::string mine(static_cast<std::size_t>(2 * (ranks.rank() % 2)),  // none, two, none
                           static_cast<char>('a' + ranks.rank()));
    std::vector<std::size_t> sizes;
    const std::vector<std::byte> all = ranks.gather(std::as_bytes(std::span(mine)), &sizes);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(all.data()), all.size()), "bb");
    EXPECT_EQ(sizes, (std::vector<std::size_t>{0, 2, 0}));
    const int number = 7 * ranks.rank();
    EXPECT_EQ(gather_values<int>(ranks, {&number, 1}), (std::vector<int>{0, 7, 14}));
  });
}

TEST(FakeCluster, BroadcastsFromAnyRoot) {
  FakeCluster(3).run([](Communicator& ranks) {
    for (int root = 0; root < 3; ++root) {
      int number = 100 + ranks.rank();
      ranks.broadcast(std::as_writable_bytes(std::span(&number, 1)), root);
      EXPECT_EQ(number, 100 + root);
    }
  });
}

TEST(FakeCluster, WakesTheOthersWithTheReasonWhereOneFails) {
  FakeCluster cluster(3);
  std::atomic<int> told = 0;
  const std::string thrown = message_of([&] {
    cluster.run([&](Communicator& ranks) {
      ranks.barrier();
      if (ranks.rank() == 1) throw DataError("no rows in part-1.csv");
      try {
        ranks.barrier();
      } catch (const CommunicationError& error) {
        EXPECT_STREQ(error.what(), "rank 1: no rows in part-1.csv");
        ++told;
        throw;
      }
    });
  });
  EXPECT_EQ(thrown, "no rows in part-1.csv");
  EXPECT_EQ(told, 2);
}

// A training tells the others before it throws: these may end before it does.
TEST(FakeCluster, ThrowsWhatTheRankThatFailedThrowsLate) {
  std::atomic<bool> ended = false;
  const auto run = [&] {
    FakeCluster(2).run([&](Communicator& ranks) {
      if (ranks.rank() == 1) {
        ranks.fail("disk full");
        ended.wait(false);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        throw DataError("disk full");
      }
      try {
        ranks.barrier();
      } catch (const CommunicationError&) {
        ended = true;
        ended.notify_one();
        throw;
      }
    });
  };
  EXPECT_EQ(message_of(run), "disk full");
}

TEST(FakeCluster, EveryLaterCallThrowsToo) {
  FakeCluster(2).run([](Communicator& ranks) {
    if (ranks.rank() == 0) return ranks.fail("disk full");
    const auto call = [&] { ranks.barrier(); };
    EXPECT_EQ(message_of<CommunicationError>(call), "rank 0: disk full");
    EXPECT_EQ(message_of<CommunicationError>(call), "rank 0: disk full");
  });
}

TEST(FakeCluster, RefusesCallsThatAreNotAlike) {
  const std::string kinds = message_of<CommunicationError>([] {
    FakeCluster(2).run([](Communicator& ranks) {
      std::int64_t value = 0;
      if (ranks.rank() == 0) ranks.barrier();
      if (ranks.rank() == 1) ranks.sum({&value, 1});
    });
  });
  EXPECT_EQ(kinds,
            "rank 0 calls barrier (0 bytes, root 0), rank 1 calls sum of int64 (8 bytes, "
            "root 0)");
  const std::string lengths = message_of<CommunicationError>([] {
    FakeCluster(2).run([](Communicator& ranks) {
      std::vector<double> values(static_cast<std::size_t>(1 + ranks.rank()));
      ranks.maximum(values);
    });
  });
  EXPECT_NE(lengths, "");
}

TEST(FakeCluster, RefusesToWaitForARankThatHasEnded) {
  const std::string message = message_of<CommunicationError>([] {
    FakeCluster(2).run([](Communicator& ranks) {
      if (ranks.rank() == 0) ranks.barrier();
    });
  });
  EXPECT_EQ(message, "rank 1: ended, the others go on");
}

TEST(FakeCluster, SharesAreWholeBlocksAndSomeAreEmpty) {
  bool some_empty = false;
  for (const std::size_t rows : {1U, 1000U, 1024U, 3000U, 10'000U})
    for (const int size : {1, 2, 3, 5})
      for (std::size_t pattern = 0; pattern < 4; ++pattern) {
        const std::vector<std::size_t> shares = uneven_shares(rows, size, pattern);
        ASSERT_EQ(shares.size(), static_cast<std::size_t>(size));
        std::size_t first = 0;
        for (const std::size_t share : shares) {
          EXPECT_TRUE(share == 0 || first % RowSpace::kShareRows == 0);
          some_empty = some_empty || share == 0;
          first += share;
        }
        EXPECT_EQ(first, rows);
      }
  EXPECT_TRUE(some_empty);
}

}  // namespace
}  // namespace simplexboost::testing
