#include "data/readers/table/number_column.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace simplexboost {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
const FeatureSchema kSchema{"x", FeatureType::kNumeric, {}};

Scalar type_of(const std::vector<double>& numbers) {
  return NumberColumn(numbers).take(kSchema).scalar;
}

void expect_same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(std::isnan(a[i]), std::isnan(b[i])) << i;
    if (!std::isnan(a[i])) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << i;
    }
  }
}

TEST(NumberColumn, TakesTheNarrowestTypeThatLosesNothing) {
  EXPECT_EQ(type_of({0, 255}), Scalar::kUint8);
  EXPECT_EQ(type_of({0, 256}), Scalar::kInt16);
  EXPECT_EQ(type_of({-1, 255}), Scalar::kInt16);
  EXPECT_EQ(type_of({32768}), Scalar::kFloat32);
  EXPECT_EQ(type_of({0.5}), Scalar::kFloat32);
  EXPECT_EQ(type_of({-0.0}), Scalar::kFloat32);
  EXPECT_EQ(type_of({1, kMissing}), Scalar::kFloat32);
  EXPECT_EQ(type_of({0.1}), Scalar::kFloat64);
  EXPECT_EQ(type_of({1e300}), Scalar::kFloat64);
}

// Blocks in any order, of types that widen and that do not.
TEST(NumberColumn, KeepsWhatItHasWhenItWidens) {
  const std::vector<std::vector<double>> blocks{
      {1, 2, 3}, {-7, 300, 0}, {0.25, kMissing, -0.0}, {0.1, 1e-300, 5}};
  std::vector<double> all;
  for (const auto& block : blocks) all.insert(all.end(), block.begin(), block.end());
  std::vector<std::size_t> order{0, 1, 2, 3};
  do {
    NumberColumn column(all.size());
    for (const std::size_t b : order) column.set(3 * b, blocks[b].data(), 3);
    expect_same_bits(column.numbers(), all);
    const Column taken = column.take(kSchema);
    EXPECT_EQ(taken.scalar, Scalar::kFloat64);
    std::vector<double> copied(all.size());
    taken.copy(0, all.size(), copied.data());
    expect_same_bits(copied, all);
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace
}  // namespace simplexboost
