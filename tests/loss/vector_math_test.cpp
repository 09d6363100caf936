#include "loss/math/vector_math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "base/simd/isa.h"
#include "loss/loss.h"
#include "loss/loss_kernels.h"
#include "loss/math/vector_math_kernels.h"

namespace simplexboost {

SIMPLEXBOOST_ISA_COPIES(VectorMathKernels, kVectorMath)
SIMPLEXBOOST_ISA_COPIES(LossKernelTable, kLossKernels)

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Every 997th float: all signs, sizes, infinities and kinds of NaN.
std::vector<float> floats_of_all_sizes() {
  std::vector<float> values;
  for (std::uint64_t bits = 0; bits <= 0xffffffffU; bits += 997)
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  for (const float value : {0.0F, -0.0F, kInfinity, -kInfinity, 88.72283F, 88.7229F, -87.33654F,
                            -87.3366F, -103.0F, std::nanf("")})
    values.push_back(value);
  return values;
}

TEST(VectorExp, IsWithinTwoUnitsOfTheLastPlaceOverAllFloats) {
  const std::vector<float> in = floats_of_all_sizes();
  std::vector<float> out(in.size());
  vector_exp(in.data(), out.data(), in.size());
  double worst = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double exact = std::exp(static_cast<double>(in[i]));
    if (std::isnan(in[i])) {
      ASSERT_TRUE(std::isnan(out[i]));
    } else if (exact > std::numeric_limits<float>::max()) {
      ASSERT_TRUE(out[i] == kInfinity || in[i] < 88.7229F) << in[i];
    } else if (exact < std::numeric_limits<float>::min()) {
      ASSERT_LE(out[i], std::numeric_limits<float>::min()) << in[i];
    } else {
      const auto nearest = static_cast<float>(exact);
      const double unit = std::nextafter(nearest, kInfinity) - nearest;
      if (std::isfinite(unit)) worst = std::max(worst, std::abs(out[i] - exact) / unit);
    }
  }
  EXPECT_LE(worst, 2);
}

TEST(VectorExp, IsExactAtZeroAndAtTheInfinities) {
  const std::vector<float> in{0, -kInfinity, kInfinity};
  std::vector<float> out(3);
  vector_exp(in.data(), out.data(), 3);
  EXPECT_EQ(out, (std::vector<float>{1, 0, kInfinity}));
}

TEST(VectorExp, WorksInPlaceOnAnyLengthAndWritesNothingBehind) {
  for (std::size_t size = 0; size < 20; ++size) {
    std::vector<float> values(size + 1, 1);
    vector_exp(values.data(), values.data(), size);
    for (std::size_t i = 0; i < size; ++i) EXPECT_FLOAT_EQ(values[i], std::exp(1.0F));
    EXPECT_EQ(values[size], 1);
  }
}

#if defined(__x86_64__)

struct Level {
  IsaLevel level;
  const VectorMathKernels& math;
  const LossKernelTable& losses;
};

// Levels above the first that this machine runs.
std::vector<Level> higher_levels() {
  std::vector<Level> levels;
  if (isa_level() >= IsaLevel::kV3)
    levels.push_back({IsaLevel::kV3, v3::kVectorMath, v3::kLossKernels});
  if (isa_level() >= IsaLevel::kV4)
    levels.push_back({IsaLevel::kV4, v4::kVectorMath, v4::kLossKernels});
  return levels;
}

std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> result;
  // Which NaN it is does not matter.
  for (const float value : values)
    result.push_back(std::isnan(value) ? 0x7fc00000U : std::bit_cast<std::uint32_t>(value));
  return result;
}

TEST(InstructionLevels, GiveTheSameBitsOfExp) {
  const std::vector<float> in = floats_of_all_sizes();
  std::vector<float> expected(in.size());
  std::vector<float> found(in.size());
  for (const Level& level : higher_levels()) {
    v1::kVectorMath.exp(in.data(), expected.data(), in.size());
    level.math.exp(in.data(), found.data(), in.size());
    EXPECT_EQ(bits(found), bits(expected));
  }
}

TEST(InstructionLevels, GiveTheSameBitsOfEveryLoss) {
  constexpr std::size_t kRows = 61;
  for (const std::size_t classes : {2U, 5U, 8U, 19U}) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal(0, 10);
    std::vector<float> scores(kRows * classes);
    std::vector<std::int32_t> labels(kRows);
    for (float& u : scores) u = normal(random);
    for (std::int32_t& c : labels) c = static_cast<std::int32_t>(random() % classes);
    const LossBlock block{kRows, classes, scores.data(), labels.data()};
    for (const LossFacts& loss : loss_table()) {
      const LossKernels& base = v1::kLossKernels.rows[loss.formula];
      std::vector<float> pulls(scores.size());
      std::vector<float> curvature(scores.size());
      base.pulls(block, 0, pulls.data(), curvature.data());
      for (const Level& level : higher_levels()) {
        std::vector<float> other_pulls(scores.size());
        std::vector<float> other_curvature(scores.size());
        level.losses.rows[loss.formula].pulls(block, 0, other_pulls.data(), other_curvature.data());
        EXPECT_EQ(bits(other_pulls), bits(pulls));
        EXPECT_EQ(bits(other_curvature), bits(curvature));
        EXPECT_EQ(level.losses.rows[loss.formula].risk(block).sum, base.risk(block).sum);
      }
    }
  }
}

#endif

}  // namespace
}  // namespace simplexboost
