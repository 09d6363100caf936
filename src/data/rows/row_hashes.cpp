#include "data/rows/row_hashes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#include "data/rows/stored_values.h"

namespace simplexboost {
namespace {

// The finaliser of MurmurHash3.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 33U)) * 0xff51'afd7'ed55'8ccdU;
  x = (x ^ (x >> 33U)) * 0xc4ce'b9fe'1a85'ec53U;
  return x ^ (x >> 33U);
}

}  // namespace

// Sums of what is not zero, so that sparse columns cost what they store.
std::vector<std::uint64_t> row_hashes(const Dataset& data) {
  constexpr double kForMissing = -1.5e300;
  std::vector<std::uint64_t> hashes(data.rows);
  for (std::size_t j = 0; j < data.columns.size(); ++j) {
    const std::uint64_t column = mixed(j + 1);
    for_each_value(data.columns[j], data.rows, [&](std::size_t row, double value) {
      if (value == 0) return;
      const auto bits = std::bit_cast<std::uint64_t>(std::isnan(value) ? kForMissing : value);
      hashes[row] += mixed(column ^ bits);
    });
  }
  return hashes;
}

double share_of_repeats(const Dataset& data) {
  std::vector<std::uint64_t> hashes = row_hashes(data);
  std::sort(hashes.begin(), hashes.end());
  std::size_t repeats = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i)
    if ((i > 0 && hashes[i] == hashes[i - 1]) ||
        (i + 1 < hashes.size() && hashes[i] == hashes[i + 1]))
      ++repeats;
  return static_cast<double>(repeats) / static_cast<double>(std::max<std::size_t>(data.rows, 1));
}

}  // namespace simplexboost
