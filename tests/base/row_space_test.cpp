#include "base/row_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/fake_cluster.h"

namespace simplexboost {
namespace {

constexpr std::size_t kRows = 7777;

// Of the global row: sums of these depend on the order in which they are taken.
double value_of(std::size_t row) {
  return std::sin(static_cast<double>(row)) * std::exp2(row % 40);
}

// Calls body(space) on each rank of clusters of several sizes, with uneven and empty shares.
void on_clusters(const std::function<void(const RowSpace&)>& body) {
  for (const int size : {1, 2, 3, 5})
    for (std::size_t pattern = 0; pattern < 4; ++pattern)
      for (const int threads : {1, 3}) {
        const std::vector<std::size_t> shares = testing::uneven_shares(kRows, size, pattern);
        testing::FakeCluster(size).run([&](Communicator& ranks) {
          body(RowSpace(shares[static_cast<std::size_t>(ranks.rank())], threads, ranks));
        });
      }
}

double sum_of(const RowSpace& space, std::size_t begin, std::size_t end) {
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += value_of(space.first() + i);
  return sum;
}

TEST(RowSpace, KnowsItsPlaceAmongAllRows) {
  on_clusters([](const RowSpace& space) {
    EXPECT_EQ(space.all(), kRows);
    EXPECT_EQ(space.parted(), space.ranks().size() > 1);
    const std::uint64_t first = space.first();
    const std::uint64_t rows = space.rows();
    const auto firsts = gather_values<std::uint64_t>(space.ranks(), {&first, 1});
    const auto counts = gather_values<std::uint64_t>(space.ranks(), {&rows, 1});
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < firsts.size(); ++i) {
      EXPECT_EQ(firsts[i], next);
      next += counts[i];
    }
    EXPECT_EQ(next, kRows);
  });
}

TEST(RowSpace, SumsDoNotDependOnHowRowsAreParted) {
  for (const std::size_t block : {64U, 256U, 1024U}) {
    const RowSpace alone(kRows, 1);
    double expected = 0;
    for (std::size_t begin = 0; begin < kRows; begin += block)
      expected += sum_of(alone, begin, std::min(begin + block, kRows));
    on_clusters([&](const RowSpace& space) {
      const auto sum = [&](std::size_t begin, std::size_t end) {
        return sum_of(space, begin, end);
      };
      EXPECT_EQ(space.sum(block, sum), expected);
      const std::vector<double> sums =
          space.sums(block, 3, [&](std::size_t begin, std::size_t end, double* out) {
            for (std::size_t j = 0; j < 3; ++j) out[j] += std::exp2(j) * sum(begin, end);
          });
      EXPECT_EQ(sums, (std::vector<double>{expected, 2 * expected, 4 * expected}));
    });
  }
}

TEST(RowSpace, RoundedSumsDoNotDependOnHowRowsArePartedAndAreClose) {
  const auto add = [](const RowSpace& space) {
    return [&space](std::size_t begin, std::size_t end, double* out) {
      for (std::size_t i = begin; i < end; ++i) {
        out[0] += value_of(space.first() + i);
        out[1] += std::fabs(value_of(space.first() + i)) * 1e-200;
      }
      out[3] = space.first() == 0 && begin == 0 ? HUGE_VAL : 1;
    };
  };
  const RowSpace alone(kRows, 1);
  const std::vector<double> plain = alone.sums(128, 4, add(alone));
  const std::vector<double> expected = alone.rounded_sums(128, 4, add(alone));
  EXPECT_NEAR(expected[0], plain[0], 1e-13 * plain[1] * 1e200);
  EXPECT_NEAR(expected[1] / plain[1], 1, 1e-14);
  EXPECT_EQ(expected[2], 0);
  EXPECT_EQ(expected[3], HUGE_VAL);
  on_clusters(
      [&](const RowSpace& space) { EXPECT_EQ(space.rounded_sums(128, 4, add(space)), expected); });
}

TEST(RowSpace, BlockValuesComeInTheOrderOfAllRows) {
  std::vector<std::size_t> expected;
  for (std::size_t begin = 0; begin < kRows; begin += 128)
    expected.push_back(std::min(begin + 128, kRows));
  on_clusters([&](const RowSpace& space) {
    EXPECT_EQ(space.block_values<std::size_t>(
                  128, [&](std::size_t, std::size_t end) { return space.first() + end; }),
              expected);
  });
}

// Not in blocks: one addition after the other, whoever has the rows.
TEST(RowSpace, AddsInTurnAsOneProcessDoes) {
  std::vector<double> expected(2);
  for (std::size_t i = 0; i < kRows; ++i) expected[i % 2] += value_of(i);
  on_clusters([&](const RowSpace& space) {
    std::vector<double> sums(2);
    space.add_in_turn(sums, [&] {
      for (std::size_t i = 0; i < space.rows(); ++i)
        sums[(space.first() + i) % 2] += value_of(space.first() + i);
    });
    EXPECT_EQ(sums, expected);
  });
}

TEST(RowSpace, TheLargestIndexIsThatOfTheRowsHere) {
  on_clusters([](const RowSpace& space) {
    std::vector<std::uint32_t> index(space.rows());
    for (std::size_t i = 0; i < index.size(); ++i)
      index[i] = static_cast<std::uint32_t>((space.first() + i) * 31 % 5000);
    const auto largest = std::max_element(index.begin(), index.end());
    EXPECT_EQ(space.largest_index(index.data()), largest == index.end() ? 0 : *largest);
  });
}

TEST(RowSpace, CountsAndMaximaAreOfAllRows) {
  on_clusters([](const RowSpace& space) {
    const auto count = [&](std::size_t begin, std::size_t end) {
      std::size_t multiples = 0;
      for (std::size_t i = begin; i < end; ++i) multiples += (space.first() + i) % 7 == 0 ? 1U : 0U;
      return multiples;
    };
    EXPECT_EQ(space.count(RowSpace::kBlock, count), 1111);
    EXPECT_EQ(space.maximum(256,
                            [&](std::size_t begin, std::size_t end) {
                              return std::max(-double(space.first() + begin),
                                              double(space.first() + end) - 2 * kRows);
                            }),
              0);
    EXPECT_EQ(space.add_up(space.first() <= 5000 && 5000 < space.first() + space.rows() ? 3 : 0),
              3);
    std::vector<std::int32_t> shares = {static_cast<std::int32_t>(space.rows()), 1};
    space.add_up(shares);
    EXPECT_EQ(shares, (std::vector<std::int32_t>{kRows, space.ranks().size()}));
  });
}

TEST(RowSpace, TheLeastMaximumIsThatOfNoRows) {
  const auto never = [](std::size_t, std::size_t) { return 1.0; };
  EXPECT_EQ(RowSpace(0, 1).maximum(64, never, 0.25), 0.25);
  testing::FakeCluster(2).run([&](Communicator& ranks) {
    EXPECT_EQ(RowSpace(0, 1, ranks).maximum(64, never, 0.25), 0.25);
  });
}

TEST(RowSpace, AsksAllRanksWhetherSomethingHolds) {
  on_clusters([](const RowSpace& space) {
    const bool has_first = space.first() == 0 && space.rows() > 0;
    EXPECT_TRUE(space.any(has_first));
    EXPECT_EQ(space.every(has_first), !space.parted());
    EXPECT_FALSE(space.any(false));
    EXPECT_TRUE(space.every(true));
  });
}

}  // namespace
}  // namespace simplexboost
