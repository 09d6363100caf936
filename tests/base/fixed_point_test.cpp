#include "base/fixed_point.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "base/random.h"

namespace simplexboost {
namespace {

std::vector<double> random_numbers(std::size_t count, Random& random) {
  std::vector<double> numbers(count);
  for (double& number : numbers)
    number = std::ldexp(random.normal(), static_cast<int>(random.below(40)) - 20);
  return numbers;
}

TEST(FixedPoint, SumsDoNotDependOnTheOrder) {
  Random random(1);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> numbers = random_numbers(3000, random);
    double bound = 0;
    for (const double number : numbers) bound += std::fabs(number);
    const FixedPoint round(bound);
    const auto sum = [&] {
      double total = 0;
      for (const double number : numbers) total += round(number);
      return total;
    };
    const double first = sum();
    EXPECT_NEAR(first, std::accumulate(numbers.begin(), numbers.end(), 0.0), 1e-11 * bound);
    random.shuffle(numbers);
    EXPECT_EQ(sum(), first);
    // Parted: the sums of the parts add up to the same.
    double parts[3] = {};
    for (std::size_t i = 0; i < numbers.size(); ++i) parts[i % 3] += round(numbers[i]);
    EXPECT_EQ(parts[2] + (parts[0] + parts[1]), first);
  }
}

TEST(FixedPoint, KeepsZerosAndNumbersOfFewDigits) {
  EXPECT_EQ(FixedPoint(0)(0), 0);
  const FixedPoint round(1000);
  for (const double number : {0.0, 1.0, -3.25, 999.5, 0x1p-30}) EXPECT_EQ(round(number), number);
}

TEST(SumUnit, IsFineEnoughAndSumsFit) {
  for (const double largest : {1e-30, 0.7, 1.0, 1.5, 3e20})
    for (const std::size_t count : {1U, 1000U, 4'000'000U, 100'000'000U, 4'000'000'000U}) {
      const SumUnit unit(largest, count);
      const double digits = std::log2(largest / unit.real(1));
      EXPECT_LE(digits, 40);
      EXPECT_TRUE(digits >= 39 || count > 4'000'000);
      // All numbers as large as they may be.
      EXPECT_LT(digits + std::log2(static_cast<double>(count)), 63);
      double sum = unit.start();
      for (std::size_t i = 0; i < SumUnit::kMost; ++i) sum += largest;
      const double expected = static_cast<double>(SumUnit::kMost) * largest;
      EXPECT_NEAR(unit.real(unit.units(sum)), expected, 1e-9 * expected);
      EXPECT_EQ(unit.units(unit.start()), 0);
    }
}

TEST(SumUnit, OfNothingIsHarmless) {
  const SumUnit unit(0, 10);
  EXPECT_EQ(unit.real(unit.units(unit.start() + 0.0)), 0);
}

}  // namespace
}  // namespace simplexboost
