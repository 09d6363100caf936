// Fixed-point statistics: exact sums, no overflow, any scale, any number of threads.
#include "tree/histogram/row_stats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numeric>

#include "tree/random_problem.h"

namespace simplexboost {
namespace {

using testing::ProblemShape;
using testing::random_problem;
using testing::RandomProblem;

RandomProblem stats_problem(std::size_t rows, std::size_t width, std::uint64_t seed = 1) {
  Random random(seed);
  ProblemShape shape;
  shape.rows = rows;
  shape.features = 1;
  shape.width = width;
  return random_problem(shape, random);
}

// Every channel's absolute values sum to at most 2^30, up to rounding.
void expect_no_overflow(const RowStats& stats) {
  for (std::size_t j = 1; j < stats.channels(); ++j) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < stats.rows(); ++i) sum += std::abs(std::int64_t{stats.row(i)[j]});
    EXPECT_LE(sum, (std::int64_t{1} << 30) + static_cast<std::int64_t>(stats.rows()));
  }
}

TEST(RowStats, HoldsEveryValueToOneUnit) {
  for (const bool diagonal : {false, true}) {
    for (const std::size_t width : {1U, 2U, 3U, 6U, 7U, 26U}) {
      const RandomProblem problem = stats_problem(3000, width);
      const RowStats stats = stats_of(problem, diagonal);
      const std::size_t half = padded_channels(kPullChannel + width);
      ASSERT_EQ(stats.channels(), diagonal ? 2 * half : half);
      for (std::size_t i = 0; i < stats.rows(); ++i) {
        const std::int32_t* row = stats.row(i);
        EXPECT_EQ(row[kCountChannel], 1);
        EXPECT_NEAR(row[kWeightChannel] * stats.weight_unit(), problem.weights[i],
                    stats.weight_unit());
        for (std::size_t j = 0; j < stats.channels(); ++j) {
          const std::size_t channel = j < half ? j : j - half;
          const bool value = channel >= kPullChannel && channel < kPullChannel + width;
          if (!value) {
            EXPECT_TRUE(j < kPullChannel || row[j] == 0);
            continue;
          }
          const std::size_t at = i * width + channel - kPullChannel;
          const double unit = j < half ? stats.pull_unit() : stats.weight_unit();
          const float real = j < half ? problem.pulls[at] : problem.curvature[at];
          EXPECT_NEAR(row[j] * unit, static_cast<double>(real), unit);
        }
      }
      expect_no_overflow(stats);
    }
  }
}

TEST(RowStats, AnyScaleKeepsItsPrecision) {
  const RandomProblem original = stats_problem(500, 4);
  for (const float scale : {1e-25F, 1e-12F, 1e-3F, 1.0F, 1e9F, 1e20F, 1e30F}) {
    RandomProblem problem = original;
    for (float& pull : problem.pulls) pull *= scale;
    for (float& weight : problem.weights) weight *= scale;
    const RowStats stats = stats_of(problem);
    expect_no_overflow(stats);
    double sum = 0;
    std::int64_t integers = 0;
    for (std::size_t i = 0; i < stats.rows(); ++i) {
      sum += static_cast<double>(problem.pulls[i * 4]);
      integers += stats.row(i)[kPullChannel];
    }
    EXPECT_NEAR(static_cast<double>(integers) * stats.pull_unit(), sum,
                500 * stats.pull_unit() + 1e-6 * std::fabs(sum));
    EXPECT_GT(std::fabs(sum) / stats.pull_unit(), 1e5);  // many units: nothing got lost
  }
}

// Pulls too small for the scale to be a float become less precise, or zero, but never nonsense.
TEST(RowStats, TinyPullsNeverBecomeNonsense) {
  for (const float size : {1e-30F, 1e-36F, 1e-42F}) {
    RandomProblem problem = stats_problem(3, 2);
    problem.pulls = {size, -size, size / 2, 0, 0, size};
    problem.weights = {size, size, 0};
    const RowStats stats = stats_of(problem);
    expect_no_overflow(stats);
    EXPECT_NEAR(stats.row(0)[kPullChannel] * stats.pull_unit(), static_cast<double>(size),
                0.5 * stats.pull_unit());
    EXPECT_EQ(stats.row(0)[kPullChannel + 1], -stats.row(0)[kPullChannel]);
  }
}

TEST(RowStats, OneDominatingRowLeavesRoomForItself) {
  RandomProblem problem = stats_problem(2000, 3);
  for (std::size_t j = 0; j < 3; ++j) problem.pulls[j] = j == 1 ? -3e30F : 3e30F;
  problem.weights[0] = 1e30F;
  const RowStats stats = stats_of(problem);
  expect_no_overflow(stats);
  for (std::size_t j = 0; j < 3; ++j)
    EXPECT_NEAR(stats.row(0)[kPullChannel + j] * stats.pull_unit() / 3e30, j == 1 ? -1 : 1, 1e-6);
}

TEST(RowStats, AllZeroPullsAreFine) {
  RandomProblem problem = stats_problem(10, 2);
  std::fill(problem.pulls.begin(), problem.pulls.end(), 0.0F);
  std::fill(problem.weights.begin(), problem.weights.end(), 0.0F);
  const RowStats stats = stats_of(problem);
  for (std::size_t i = 0; i < 10; ++i)
    for (std::size_t j = 1; j < stats.channels(); ++j) EXPECT_EQ(stats.row(i)[j], 0);
}

TEST(RowStats, SumsAreExact) {
  const RandomProblem problem = stats_problem(5000, 10);
  const RowStats stats = stats_of(problem);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < 5000; i += 3) rows.push_back(i);
  std::vector<std::int32_t> sums(stats.channels());
  stats.sum_rows(rows, sums.data());
  for (std::size_t j = 0; j < stats.channels(); ++j) {
    std::int64_t expected = 0;
    for (const std::uint32_t row : rows) expected += stats.row(row)[j];
    EXPECT_EQ(sums[j], expected);
  }
}

TEST(RowStats, ThreadsDoNotMatter) {
  const RandomProblem problem = stats_problem(30'000, 5);
  const RowStats one = stats_of(problem, true, 1);
  for (const int threads : {2, 3, 7}) {
    const RowStats other = stats_of(problem, true, threads);
    EXPECT_EQ(other.pull_unit(), one.pull_unit());
    EXPECT_TRUE(std::equal(one.data(), one.data() + one.rows() * one.channels(), other.data()));
  }
}

}  // namespace
}  // namespace simplexboost
