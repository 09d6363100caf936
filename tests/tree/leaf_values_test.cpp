#include "simplexboost/leaf_values.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"

namespace simplexboost {
namespace {

TEST(Bfloat16, IsTheNearestNumberOfEightBits) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const auto value = static_cast<float>(random.normal() * std::pow(2, 15 * random.normal()));
    int exponent = 0;
    const double mantissa = std::frexp(static_cast<double>(value), &exponent);
    const double expected = std::ldexp(std::nearbyint(std::ldexp(mantissa, 8)), exponent - 8);
    EXPECT_EQ(widen(to_bfloat16(value)), static_cast<float>(expected)) << value;
  }
}

TEST(Bfloat16, TakesTheEvenOneOfTwo) {
  EXPECT_EQ(widen(to_bfloat16(1 + 0x1p-8F)), 1);
  EXPECT_EQ(widen(to_bfloat16(1 + 3 * 0x1p-8F)), 1 + 0x1p-6F);
  EXPECT_EQ(widen(to_bfloat16(-1 - 0x1p-8F)), -1);
}

TEST(Bfloat16, KeepsWhatItHoldsAndWhatIsNoNumber) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float value : {0.0F, -0.0F, 1.0F, -1.5F, 0x1p-126F, 0x1p127F, kInfinity, -kInfinity}) {
    EXPECT_EQ(widen(to_bfloat16(value)), value);
    EXPECT_EQ(std::signbit(widen(to_bfloat16(value))), std::signbit(value));
  }
  EXPECT_EQ(widen(to_bfloat16(std::numeric_limits<float>::max())), kInfinity);
  EXPECT_TRUE(std::isnan(widen(to_bfloat16(std::numeric_limits<float>::quiet_NaN()))));
}

// The same calls on a plain vector, each number rounded as it is written.
TEST(LeafValues, AreAVectorThatRounds) {
  Random random(2);
  for (const LeafPrecision precision : {LeafPrecision::kFloat32, LeafPrecision::kBfloat16}) {
    LeafValues values(precision);
    std::vector<float> twin;
    for (int i = 0; i < 20; ++i) {
      std::array<float, 3> more{};
      for (float& value : more) value = static_cast<float>(random.normal());
      values.append(more);
      for (const float value : more) twin.push_back(round_to(precision, value));
    }
    values.set(5, 0.3F);
    twin[5] = round_to(precision, 0.3F);
    values.multiply(0.7);
    for (float& value : twin) value = round_to(precision, static_cast<float>(value * 0.7));
    values.resize(40);
    twin.resize(40);
    EXPECT_EQ(values.size(), 40U);
    EXPECT_EQ(values.copy(0, 40), twin);
    EXPECT_EQ(values.copy(7, 3), std::vector<float>(twin.begin() + 7, twin.begin() + 10));
    for (std::size_t i = 0; i < twin.size(); ++i) EXPECT_EQ(values[i], twin[i]);
    values.visit([&](const auto& stored) {
      for (std::size_t i = 0; i < twin.size(); ++i) EXPECT_EQ(widen(stored[i]), twin[i]);
    });
  }
}

}  // namespace
}  // namespace simplexboost
