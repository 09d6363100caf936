#include "report/facts/resample.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace simplexboost {
namespace {

void mean_of(const double* sums, std::span<double> out) { out[0] = sums[1] / sums[0]; }

// Of a mean the normal interval is known.
TEST(Resample, IntervalOfAMeanIsTheNormalOne) {
  for (const std::size_t rows : {500U, 50'000U}) {
    Random random(3);
    ResampledSums sums(rows, 2, 7);
    double squares = 0;
    double sum = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const double value = random.normal() + 2;
      sum += value;
      squares += value * value;
      sums.unit(i)[0] += 1;
      sums.unit(i)[1] += value;
    }
    const auto n = static_cast<double>(rows);
    const double mean = sum / n;
    const double half = 1.96 * std::sqrt((squares / n - mean * mean) / n);
    const Interval interval = sums.intervals(1, mean_of, 1)[0];
    EXPECT_NEAR(interval.value, mean, 1e-9);
    EXPECT_NEAR(interval.low, mean - half, 0.15 * half) << rows;
    EXPECT_NEAR(interval.high, mean + half, 0.15 * half) << rows;
  }
}

TEST(Resample, IsTheSameForAnyNumberOfThreads) {
  ResampledSums sums(300, 2, 1);
  for (std::size_t i = 0; i < 300; ++i) {
    sums.unit(i)[0] += 1;
    sums.unit(i)[1] += std::sin(static_cast<double>(i));
  }
  const Interval one = sums.intervals(1, mean_of, 1)[0];
  const Interval four = sums.intervals(1, mean_of, 4)[0];
  EXPECT_EQ(one.low, four.low);
  EXPECT_EQ(one.high, four.high);
}

// Twice the tail of the binomial, counted by hand: 2 (1 + 10 + 45) / 1024 for 2 against 8.
TEST(Resample, SignTestIsExact) {
  EXPECT_NEAR(sign_test(2, 8), 2 * 56.0 / 1024, 1e-12);
  EXPECT_NEAR(sign_test(8, 2), 2 * 56.0 / 1024, 1e-12);
  EXPECT_NEAR(sign_test(0, 5), 2.0 / 32, 1e-12);
  EXPECT_EQ(sign_test(4, 4), 1);
  EXPECT_EQ(sign_test(0, 0), 1);
  EXPECT_LT(sign_test(1000, 2000), 1e-60);
}

}  // namespace
}  // namespace simplexboost
