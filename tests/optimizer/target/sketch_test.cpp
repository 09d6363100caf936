#include "optimizer/target/sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "boosting/many_classes.h"
#include "boosting/training_log.h"
#include "model/file/serialization.h"
#include "model/model_access.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

constexpr std::size_t kOutputs = 7;
constexpr std::size_t kWidth = 3;
constexpr std::size_t kStride = 8;
const std::vector<double> kSquares{1, 0, 16, 4, 0.5, 9, 0.25};

std::vector<float> draw(SketchKind kind, const std::vector<double>& squares, std::uint64_t seed) {
  Random random(seed);
  return sketch_matrix(kind, kOutputs, kWidth, kStride, squares, random);
}

TEST(Sketch, TopTakesTheLargestAsTheyAre) {
  const std::vector<float> matrix = draw(SketchKind::kTop, kSquares, 1);
  std::vector<float> expected(kOutputs * kStride);
  expected[2 * kStride + 0] = expected[5 * kStride + 1] = expected[3 * kStride + 2] = 1;
  EXPECT_EQ(matrix, expected);
}

// E[(S S^T)_jk] = [j == k], so inner products of pulls, and with them gains, are kept on average.
TEST(Sketch, KeepsInnerProductsInExpectation) {
  constexpr int kDraws = 40'000;
  for (const SketchKind kind : {SketchKind::kProjection, SketchKind::kSample}) {
    std::vector<double> products(kOutputs * kOutputs);
    for (int seed = 0; seed < kDraws; ++seed) {
      const std::vector<float> matrix = draw(kind, kSquares, static_cast<std::uint64_t>(seed));
      for (std::size_t j = 0; j < kOutputs; ++j)
        for (std::size_t k = 0; k < kOutputs; ++k)
          for (std::size_t s = 0; s < kWidth; ++s)
            products[j * kOutputs + k] += static_cast<double>(matrix[j * kStride + s]) *
                                          static_cast<double>(matrix[k * kStride + s]) / kDraws;
    }
    for (std::size_t j = 0; j < kOutputs; ++j)
      for (std::size_t k = 0; k < kOutputs; ++k) {
        // An output without pulls is never drawn, and need not be.
        const bool never = kind == SketchKind::kSample && kSquares[j] == 0;
        EXPECT_NEAR(products[j * kOutputs + k], j == k && !never ? 1 : 0, 0.15);
      }
  }
}

TEST(Sketch, OfPullsThatSayNothingTreatsOutputsAlike) {
  for (const double same : {0.0, std::numeric_limits<double>::infinity()}) {
    const std::vector<double> squares(kOutputs, same);
    for (const float x : draw(SketchKind::kSample, squares, 2))
      EXPECT_TRUE(x == 0 || std::fabs(x - std::sqrt(7.0F / 3.0F)) < 1e-6F);
    EXPECT_EQ(draw(SketchKind::kTop, squares, 2)[0], 1);
  }
}

TEST(Sketch, OfAnyKindLearnsAndDoesNotDependOnThreads) {
  const Dataset data = testing::many_classes(900, 20);
  for (const char* kind : {"projection", "top", "sample"}) {
    Parameters wanted;
    wanted.sketch = 4;
    wanted.sketch_kind = kind;
    wanted.rounds = 30;
    wanted.threads = 1;
    const Model one = train(data, wanted);
    EXPECT_LT(testing::column(one, "train_error").back(), 0.1) << kind;
    wanted.threads = 3;
    EXPECT_EQ(serialize(ensemble_of(train(data, wanted))), serialize(ensemble_of(one))) << kind;
    wanted.sketch_kind = std::string_view(kind) == "top" ? "sample" : "top";
    EXPECT_NE(serialize(ensemble_of(train(data, wanted))), serialize(ensemble_of(one))) << kind;
  }
}

}  // namespace
}  // namespace simplexboost
