#include "loss/beaten_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "base/simd/isa.h"

namespace simplexboost {

SIMPLEXBOOST_ISA_COPIES(BeatenRowsKernel, kBeatenRows)

namespace {

std::vector<std::uint8_t> found_by(const BeatenRowsKernel& kernel, const std::vector<float>& scores,
                                   std::size_t classes, const std::vector<std::int32_t>& labels) {
  std::vector<std::uint8_t> beaten(labels.size());
  kernel.find(scores.data(), labels.size(), classes, labels.data(), beaten.data());
  return beaten;
}

// Few different scores, so that many are equal.
TEST(BeatenRows, AreThoseWhoseFirstLargestScoreIsAnotherClass) {
  constexpr std::size_t kRows = 300;
  Random random(1);
  for (std::size_t classes = 1; classes < 40; ++classes) {
    std::vector<float> scores(kRows * classes);
    for (float& score : scores) score = static_cast<float>(random.below(classes + 2)) - 3;
    std::vector<std::int32_t> labels(kRows);
    for (std::int32_t& label : labels)
      label = static_cast<std::int32_t>(random.below(classes + 1)) - 1;
    std::vector<std::uint8_t> expected(kRows);
    for (std::size_t i = 0; i < kRows; ++i) {
      const auto row = scores.begin() + static_cast<std::ptrdiff_t>(i * classes);
      const auto best = std::max_element(row, row + static_cast<std::ptrdiff_t>(classes)) - row;
      expected[i] = best == labels[i] ? 0 : 1;
    }
    EXPECT_EQ(found_by({find_beaten_rows}, scores, classes, labels), expected);
    EXPECT_EQ(found_by(v1::kBeatenRows, scores, classes, labels), expected);
#if defined(__x86_64__)
    if (isa_level() >= IsaLevel::kV3) {
      EXPECT_EQ(found_by(v3::kBeatenRows, scores, classes, labels), expected);
    }
#endif
  }
}

}  // namespace
}  // namespace simplexboost
