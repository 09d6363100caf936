#include "base/peers.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <numeric>

#include "base/fake_cluster.h"
#include "base/fake_peers.h"
#include "base/message_of.h"
#include "base/random.h"

namespace simplexboost::testing {
namespace {

constexpr std::array kSizes{1, 2, 3, 4, 5, 7, 8, 13};

// What a rank has, of any length.
template <class T>
std::vector<T> values_of(int rank, std::size_t count) {
  Random random(static_cast<std::uint64_t>(rank), count);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(random.below(2000)) - static_cast<T>(1000);
  return values;
}

// Short arrays are gathered, long ones summed by parts, very long ones piece by piece.
TEST(Peers, SumsAndTakesMaximaElementByElement) {
  for (const int size : kSizes)
    for (const std::size_t count : {0U, 1U, 7U, 3000U, 300'000U}) {
      if (count > 10'000 && size > 3) continue;
      FakePeers(size).run([&](Communicator& ranks) {
        std::vector<std::int32_t> sum = values_of<std::int32_t>(ranks.rank(), count);
        std::vector<std::int64_t> large = values_of<std::int64_t>(ranks.rank(), count);
        std::vector<double> highest = values_of<double>(ranks.rank(), count);
        ranks.sum(sum);
        ranks.sum(large);
        ranks.maximum(highest);
        std::vector<std::int32_t> expected(count);
        std::vector<double> largest(count, -HUGE_VAL);
        for (int r = 0; r < size; ++r) {
          const std::vector<std::int32_t> theirs = values_of<std::int32_t>(r, count);
          for (std::size_t i = 0; i < count; ++i) {
            expected[i] += theirs[i];
            largest[i] = std::max(largest[i], static_cast<double>(theirs[i]));
          }
        }
        EXPECT_EQ(sum, expected);
        EXPECT_EQ(large, (std::vector<std::int64_t>(expected.begin(), expected.end())));
        EXPECT_EQ(highest, largest);
      });
    }
}

TEST(Peers, SumsPartsOfAnyLength) {
  for (const int size : kSizes)
    for (const std::size_t pattern : {0U, 1U, 2U}) {
      std::vector<std::size_t> ends;
      for (std::size_t r = 0; r < static_cast<std::size_t>(size); ++r)
        ends.push_back((r == 0 ? 0 : ends.back()) +
                       (r + pattern) % 3 * (pattern == 2 ? 70'000 : 5));
      FakePeers(size).run([&](PeerCommunicator& ranks) {
        std::vector<std::int32_t> sums = values_of<std::int32_t>(ranks.rank(), ends.back());
        ranks.sum_parts(sums, ends);
        std::vector<std::int32_t> expected(ends.back());
        for (int r = 0; r < size; ++r) {
          const std::vector<std::int32_t> theirs = values_of<std::int32_t>(r, ends.back());
          for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += theirs[i];
        }
        const auto me = static_cast<std::size_t>(ranks.rank());
        const std::size_t begin = me == 0 ? 0 : ends[me - 1];
        std::vector<std::int64_t> large = values_of<std::int64_t>(ranks.rank(), ends.back());
        ranks.sum_parts(large, ends);
        for (std::size_t i = begin; i < ends[me]; ++i) {
          ASSERT_EQ(sums[i], expected[i]);
          ASSERT_EQ(large[i], expected[i]);
        }
      });
    }
}

// To the last bit, unlike sums of parts.
TEST(Peers, SumsDoublesInTheOrderOfRanks) {
  for (const int size : kSizes)
    FakePeers(size).run([&](Communicator& ranks) {
      const auto share = [](int r) { return 1e16 / (r + 1) + 0.1 * r; };
      std::vector<double> sum{share(ranks.rank()), -share(ranks.rank())};
      ranks.sum(sum);
      double expected = share(0);
      for (int r = 1; r < size; ++r) expected += share(r);
      EXPECT_EQ(sum[0], expected);
      EXPECT_EQ(sum[1], -expected);
    });
}

TEST(Peers, GathersSharesOfAnyLengthInTheOrderOfRanks) {
  for (const int size : kSizes)
    FakePeers(size).run([&](Communicator& ranks) {
      const auto share = [](int r) {
        return std::string(static_cast<std::size_t>(r * r % 5), static_cast<char>('a' + r));
      };
      const std::string mine = share(ranks.rank());
      std::vector<std::size_t> sizes;
      const std::vector<std::byte> all = ranks.gather(std::as_bytes(std::span(mine)), &sizes);
      std::string expected;
      for (int r = 0; r < size; ++r) {
        expected += share(r);
        EXPECT_EQ(sizes[static_cast<std::size_t>(r)], share(r).size());
      }
      EXPECT_EQ(std::string(reinterpret_cast<const char*>(all.data()), all.size()), expected);
    });
}

TEST(Peers, BroadcastsFromAnyRoot) {
  for (const int size : kSizes)
    FakePeers(size).run([&](Communicator& ranks) {
      for (int root = 0; root < size; ++root) {
        int number = 100 + ranks.rank();
        ranks.broadcast(std::as_writable_bytes(std::span(&number, 1)), root);
        EXPECT_EQ(number, 100 + root);
      }
      ranks.barrier();
    });
}

TEST(Peers, PassesBytesFromOneToAnother) {
  for (const int size : kSizes)
    for (const std::size_t count : {0U, 3U, 50'000U})
      FakePeers(size).run([&](PeerCommunicator& ranks) {
        const int to = size / 2;
        for (int from = 0; from < size; ++from) {
          std::vector<std::byte> bytes(7);  // a rank that gives none may have some
          if (ranks.rank() == from) bytes.assign(count, static_cast<std::byte>(from));
          const std::uint64_t before = ranks.traffic().bytes;
          bytes = ranks.pass(std::move(bytes), from, to);
          const bool sends = ranks.rank() == from && from != to;
          EXPECT_EQ(ranks.traffic().bytes - before, sends ? count + 8 : 0);
          EXPECT_EQ(bytes, std::vector<std::byte>(ranks.rank() == to ? count : 0,
                                                  static_cast<std::byte>(from)));
        }
      });
}

// The model of docs/scale.md.
TEST(Peers, SendsAsManyBytesAsTheModelSays) {
  for (const int size : {2, 4, 8}) {
    std::atomic<std::uint64_t> parts = 0;
    std::atomic<std::uint64_t> all = 0;
    const auto count = static_cast<std::size_t>(size);
    FakePeers(size).run([&](PeerCommunicator& ranks) {
      std::vector<std::int32_t> values(8000);
      ranks.sum_parts(values, std::vector<std::size_t>([&] {
                        std::vector<std::size_t> ends;
                        for (std::size_t r = 1; r <= count; ++r) ends.push_back(8000 * r / count);
                        return ends;
                      }()));
      parts += ranks.traffic().bytes;
      ranks.sum(values);
      all += ranks.traffic().bytes;
    });
    all -= parts;
    EXPECT_EQ(parts, 32'000 * (count - 1));  // of all ranks together
    EXPECT_EQ(all, 2 * parts);
  }
}

TEST(Peers, WakesTheOthersWithTheReasonWhereOneFails) {
  std::atomic<int> told = 0;
  const std::string thrown = message_of([&] {
    FakePeers(5).run([&](Communicator& ranks) {
      try {
        ranks.barrier();
        if (ranks.rank() == 3) throw DataError("no rows in part-3.csv");
        ranks.barrier();  // or in the first: rank 3 need not wait there for all
      } catch (const CommunicationError& error) {
        EXPECT_STREQ(error.what(), "rank 3: no rows in part-3.csv");
        ++told;
      }
    });
  });
  EXPECT_EQ(thrown, "no rows in part-3.csv");
  EXPECT_EQ(told, 4);
}

}  // namespace
}  // namespace simplexboost::testing
