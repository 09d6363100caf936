#include "base/aligned_vector.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <new>

namespace simplexboost {
namespace {

TEST(AlignedVector, StartsOnACacheLineAndLargeOnesOnAHugePage) {
  for (const std::size_t size : {1U, 3U, 100U, 5000U, 1U << 20}) {
    AlignedVector<std::int32_t> values(size, 7);
    const auto place = reinterpret_cast<std::uintptr_t>(values.data());
    EXPECT_EQ(place % (size * 4 < kHugePage ? kCacheLine : kHugePage), 0U);
    values.resize(size + 1);
    EXPECT_EQ(values.front(), 7);
    EXPECT_EQ(values[size - 1], 7);
    EXPECT_EQ(values.back(), 0);
  }
}

TEST(AlignedVector, ThrowsWhereTheSizeCannotBe) {
  AlignedAllocator<std::int32_t> allocator;
  constexpr auto kTooMany = std::numeric_limits<std::size_t>::max() / 2;
  EXPECT_THROW(static_cast<void>(allocator.allocate(kTooMany)), std::bad_array_new_length);
}

}  // namespace
}  // namespace simplexboost
