// How many rows of each class go left where those of a forest's node are cut: many rows are
// compared at once, and the bits that come of it are counted class by class. All instruction levels
// count the same.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simplexboost {

// Behind the last value may be read so many bytes.
inline constexpr std::size_t kSidePadding = 63;

struct SideArgs {
  const std::uint8_t* values;  // one a row
  std::size_t rows;
  std::uint8_t most;           // values up to this one go left
  const std::size_t* ends;     // of the rows of each class, which stand together
  const std::int32_t* totals;  // rows of each class
  std::size_t classes;
  std::uint64_t* bits;  // room for a bit a row, in whole words
};

// What goes left: rows, the sum of squares of those of each class, and that of these times the
// classes' totals.
struct SideCounts {
  std::size_t rows;
  std::int64_t squares;
  std::int64_t cross;
};

SideCounts count_side(const SideArgs& args);

// The copies for the instruction levels (side_counts_isa.cpp).
struct SideKernel {
  SideCounts (*count)(const SideArgs& args);
};

}  // namespace simplexboost
