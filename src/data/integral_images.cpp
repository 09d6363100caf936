#include "data/integral_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <vector>

#include "base/memory.h"
#include "base/threads/parallel.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::size_t kImageRowBlock = 64;

}  // namespace

ImageShape fit_image_shape(const Dataset& data, ImageShape shape, Communicator& ranks) {
  if (data.columns.size() != shape.features())
    throw DataError(
        Place{data.source},
        fmt::format("an image of {}x{}x{} has {} pixels, but there are {} features", shape.width,
                    shape.height, shape.channels, shape.features(), data.columns.size()));
  double largest = 0;
  bool whole = true;
  std::vector<double> values(data.rows);
  for (const Column& column : data.columns) {
    if (column.schema.type != FeatureType::kNumeric)
      throw DataError(Place{data.source},
                      fmt::format("the pixel '{}' is not numeric", column.schema.name));
    column.copy(0, data.rows, values.data());
    for (const double value : values) {
      if (!std::isfinite(value)) continue;
      largest = std::max(largest, std::fabs(value));
      whole &= value == std::floor(value);
    }
  }
  std::array<double, 2> found{largest, whole ? 0.0 : 1.0};
  ranks.maximum(found);
  largest = found[0];
  whole = found[1] == 0;
  const double most = most_pixel(shape);
  if (largest > 0 && !(whole && largest <= most))
    shape.scale = std::exp2(std::clamp(std::floor(std::log2(most / largest)), -900.0, 900.0));
  return shape;
}

IntegralImages::IntegralImages(const Dataset& data, const ImageShape& shape, int threads)
    : shape_(shape), rows_(data.rows) {
  const std::size_t places = integral_places(shape);
  require_memory("integral images", rows_, places, sizeof(std::int32_t));
  sums_.resize(rows_ * places);
  parallel_blocks(threads, rows_, kImageRowBlock, [&](std::size_t begin, std::size_t end) {
    const std::size_t count = end - begin;
    std::vector<double> values(count);
    std::vector<double> pixels(count * shape.features());
    for (std::size_t f = 0; f < shape.features(); ++f) {
      data.columns[f].copy(begin, end, values.data());
      for (std::size_t i = 0; i < count; ++i) pixels[i * shape.features() + f] = values[i];
    }
    std::vector<std::int32_t> image(places);
    for (std::size_t i = 0; i < count; ++i) {
      integrate_image(pixels.data() + i * shape.features(), shape, image.data());
      for (std::size_t p = 0; p < places; ++p) sums_[p * rows_ + begin + i] = image[p];
    }
  });
}

IntegralImages::IntegralImages(const IntegralImages& share, Communicator& ranks)
    : shape_(share.shape_), rows_(0) {
  const std::size_t places = integral_places(shape_);
  auto rows = static_cast<std::int64_t>(share.rows_);
  ranks.sum({&rows, 1});
  rows_ = static_cast<std::size_t>(rows);
  require_memory("integral images of all rows", rows_, places, sizeof(std::int32_t));
  sums_.resize(rows_ * places);
  for (std::size_t p = 0; p < places; ++p) {
    const std::vector<std::int32_t> all =
        gather_values<std::int32_t>(ranks, {share.sums_.data() + p * share.rows_, share.rows_});
    std::copy(all.begin(), all.end(), sums_.begin() + static_cast<std::ptrdiff_t>(p * rows_));
  }
}

// With as many arrays as the filter has taps in registers at once.
template <std::size_t kTaps>
void IntegralImages::sum_taps(const FilterTaps& taps, std::span<const std::uint32_t> rows,
                              std::int32_t* out) const {
  std::array<const std::int32_t*, kTaps> sums;
  for (std::size_t t = 0; t < kTaps; ++t) sums[t] = sums_.data() + taps.place[t] * rows_;
  const auto sum = [&](std::size_t row) {
    std::int32_t total = 0;
    for (std::size_t t = 0; t < kTaps; ++t) total += taps.factor[t] * sums[t][row];
    return total;
  };
  // All rows in their order need no list: the loop is one over arrays.
  if (rows.size() == rows_ && std::is_sorted(rows.begin(), rows.end())) {
    for (std::size_t i = 0; i < rows.size(); ++i) out[i] = sum(i);
  } else {
    for (std::size_t i = 0; i < rows.size(); ++i) out[i] = sum(rows[i]);
  }
}

void IntegralImages::values(const FilterTaps& taps, std::span<const std::uint32_t> rows,
                            std::int32_t* out) const {
  switch (taps.count) {
    case 6: return sum_taps<6>(taps, rows, out);
    case 8: return sum_taps<8>(taps, rows, out);
    case 9: return sum_taps<9>(taps, rows, out);
    default: assert(false);
  }
}

}  // namespace simplexboost
