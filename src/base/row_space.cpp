#include "base/row_space.h"

#include <bit>
#include <cmath>

namespace simplexboost {

RowSpace::RowSpace(std::size_t rows, int threads, Communicator& ranks)
    : rows_(rows), all_(rows), threads_(threads), ranks_(&ranks) {
  if (!parted()) return;
  const auto mine = static_cast<std::uint64_t>(rows);
  const std::vector<std::uint64_t> shares = gather_values<std::uint64_t>(ranks, {&mine, 1});
  all_ = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (i == static_cast<std::size_t>(ranks.rank())) first_ = all_;
    all_ += shares[i];
  }
  assert(first_ % kShareRows == 0 || rows_ == 0);
}

std::uint32_t RowSpace::largest_index(const std::uint32_t* of_rows) const {
  if (rows_ == 0) return 0;
  std::vector<std::uint32_t> largest((rows_ + kBlock - 1) / kBlock);
  for_blocks(kBlock, [&](std::size_t begin, std::size_t end) {
    largest[begin / kBlock] = *std::max_element(of_rows + begin, of_rows + end);
  });
  return *std::max_element(largest.begin(), largest.end());
}

std::vector<double> RowSpace::add_up_blocks(std::span<const double> parts, std::size_t width,
                                            std::size_t blocks) const {
  std::vector<double> largest(width);
  for (std::size_t i = 0; i < parts.size(); i += width)
    for (std::size_t j = 0; j < width; ++j) {
      const double size = std::fabs(parts[i + j]);
      largest[j] = std::isfinite(size) ? std::max(largest[j], size) : HUGE_VAL;
    }
  ranks_->maximum(largest);
  // Powers of two, and numbers themselves: what is less than 2^-1000 counts as nothing.
  std::vector<double> scales(width);
  for (std::size_t j = 0; j < width; ++j) {
    int exponent = 0;
    std::frexp(largest[j], &exponent);
    if (std::isfinite(largest[j]))
      scales[j] =
          std::ldexp(1.0, std::min(62 - exponent - static_cast<int>(std::bit_width(blocks)), 1000));
  }
  std::vector<std::int64_t> units(width);
  for (std::size_t i = 0; i < parts.size(); i += width)
    for (std::size_t j = 0; j < width; ++j)
      if (scales[j] > 0) units[j] += static_cast<std::int64_t>(parts[i + j] * scales[j]);
  ranks_->sum(units);
  std::vector<double> totals(width);
  for (std::size_t j = 0; j < width; ++j)
    totals[j] = scales[j] > 0 ? static_cast<double>(units[j]) / scales[j] : largest[j];
  return totals;
}

}  // namespace simplexboost
