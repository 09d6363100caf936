#include "base/simd/stream_copy.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace simplexboost {
namespace {

TEST(StreamCopy, CopiesWhatItIsGivenAndNoMore) {
  std::vector<std::int32_t> values(37);
  std::iota(values.begin(), values.end(), 1);
  std::vector<std::int32_t> out(40, -1);
  stream_copy(values.data() + 1, 36, out.data());  // the source may stand anywhere
  stream_fence();
  for (std::size_t i = 0; i < 36; ++i) EXPECT_EQ(out[i], values[i + 1]);
  for (std::size_t i = 36; i < 40; ++i) EXPECT_EQ(out[i], -1);
}

}  // namespace
}  // namespace simplexboost
