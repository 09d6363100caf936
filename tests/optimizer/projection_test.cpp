// The product of rows with a small matrix against plain loops, for every instruction level.
#include "optimizer/projection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/isa.h"
#include "base/random.h"

namespace simplexboost {

using Projection = void (*)(const ProjectionArgs&);
SIMPLEXBOOST_ISA_COPIES(Projection, kProjectRows)

namespace {

std::vector<Projection> copies() {
  std::vector<Projection> result{v1::kProjectRows};
#if defined(__x86_64__)
  if (isa_level() >= IsaLevel::v3) result.push_back(v3::kProjectRows);
  if (isa_level() >= IsaLevel::v4) result.push_back(v4::kProjectRows);
#endif
  result.push_back(project_rows);
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
      for (const Projection project : copies()) {
        // The number after the last row must stay as it is.
        std::vector<float> out(kRows * width + 1, -7);
        project({in.data(), kRows, depth, matrix.data(), stride, out.data(), width});
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

}  // namespace
}  // namespace simplexboost
