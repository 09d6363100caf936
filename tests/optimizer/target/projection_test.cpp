// The product of rows with a small matrix against plain loops, for every instruction level.
#include "optimizer/target/projection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "base/simd/isa.h"

namespace simplexboost {

SIMPLEXBOOST_ISA_COPIES(PullKernels, kPullKernels)

namespace {

std::vector<PullKernels> copies() {
  std::vector<PullKernels> result{v1::kPullKernels};
#if defined(__x86_64__)
  if (isa_level() >= IsaLevel::kV3) result.push_back(v3::kPullKernels);
  if (isa_level() >= IsaLevel::kV4) result.push_back(v4::kPullKernels);
#endif
  result.push_back({project_rows, halve_pulls});
  return result;
}

std::vector<float> normal_numbers(std::size_t count, Random& random) {
  std::vector<float> numbers(count);
  for (float& number : numbers) number = static_cast<float>(random.normal());
  return numbers;
}

TEST(Projection, IsTheNaiveProductOnEveryInstructionLevel) {
  Random random(1);
  for (const std::size_t width : {1U, 2U, 6U, 7U, 8U, 9U, 16U, 21U}) {
    for (const std::size_t depth : {1U, 3U, 26U, 100U}) {
      constexpr std::size_t kRows = 17;
      const std::size_t stride = (width + 7) / 8 * 8;
      const std::vector<float> in = normal_numbers(kRows * depth, random);
      const std::vector<float> matrix = normal_numbers(depth * stride, random);
      std::vector<float> first;
      for (const PullKernels& kernels : copies()) {
        // The number after the last row must stay as it is.
        std::vector<float> out(kRows * width + 1, -7);
        kernels.project({in.data(), kRows, depth, matrix.data(), stride, out.data(), width});
        EXPECT_EQ(out.back(), -7);
        for (std::size_t i = 0; i < kRows; ++i) {
          for (std::size_t s = 0; s < width; ++s) {
            double sum = 0;
            for (std::size_t j = 0; j < depth; ++j)
              sum += static_cast<double>(in[i * depth + j]) * matrix[j * stride + s];
            EXPECT_NEAR(out[i * width + s], sum, 1e-4);
          }
        }
        if (first.empty()) first = out;
        EXPECT_EQ(out, first);
      }
    }
  }
}

TEST(Projection, HalvedPullsTellTheSumOfTheirCurvatures) {
  constexpr std::size_t kRows = 5;
  constexpr float kBend = 0.75F;
  Random random(2);
  for (const std::size_t depth : {1U, 3U, 6U, 8U, 10U, 16U, 26U, 31U, 100U}) {
    std::vector<float> pulls(kRows * depth + 1);
    for (float& pull : pulls) pull = static_cast<float>(4 * random.uniform() - 2);
    pulls.back() = -7;
    std::vector<float> first;
    for (const PullKernels& kernels : copies()) {
      std::vector<float> halves = pulls;
      std::vector<float> curvatures(kRows);
      kernels.halve(halves.data(), kRows, depth, kBend, curvatures.data());
      EXPECT_EQ(halves.back(), -7);
      for (std::size_t i = 0; i < kRows; ++i) {
        double sum = 0;
        for (std::size_t j = i * depth; j < (i + 1) * depth; ++j) {
          EXPECT_EQ(halves[j], pulls[j] / 2);
          const double size = std::fabs(static_cast<double>(halves[j]));
          sum += size * (1 - static_cast<double>(kBend) * size);
        }
        EXPECT_NEAR(curvatures[i], sum, 1e-4);
      }
      if (first.empty()) first = curvatures;
      EXPECT_EQ(curvatures, first);
    }
  }
}

}  // namespace
}  // namespace simplexboost
