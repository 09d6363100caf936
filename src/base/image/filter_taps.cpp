#include "base/image/filter_taps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <vector>

#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// What the rectangles count, line by line.
std::array<std::int32_t, 4> rectangle_factors(FilterKind kind) {
  switch (kind) {
    case FilterKind::kTwoAcross:
    case FilterKind::kTwoDown: return {-1, 1};
    case FilterKind::kThreeAcross:
    case FilterKind::kThreeDown: return {1, -2, 1};
    case FilterKind::kFour: return {1, -1, -1, 1};
  }
  return {};
}

}  // namespace

ImageShape parse_image_shape(const std::string& text) {
  std::array<std::uint32_t, 3> sizes{0, 0, 1};
  std::size_t count = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  bool sound = true;
  for (bool more = true; more && sound;) {
    sound = count < sizes.size();
    if (!sound) break;
    const auto [stop, error] = std::from_chars(at, end, sizes[count]);
    sound = error == std::errc() && sizes[count] >= 1 && sizes[count] <= kMostImageSide;
    ++count;
    at = stop;
    more = sound && at != end;
    if (more) sound = *at++ == 'x';
  }
  if (!sound || count < 2)
    throw ParameterError(
        fmt::format("image: '{}' is no shape of images; give WIDTHxHEIGHT or "
                    "WIDTHxHEIGHTxCHANNELS, such as 28x28, of up to {} each",
                    text, kMostImageSide));
  return {sizes[0], sizes[1], sizes[2]};
}

FilterGrid filter_grid(FilterKind kind) {
  switch (kind) {
    case FilterKind::kTwoAcross: return {2, 1};
    case FilterKind::kTwoDown: return {1, 2};
    case FilterKind::kThreeAcross: return {3, 1};
    case FilterKind::kThreeDown: return {1, 3};
    case FilterKind::kFour: return {2, 2};
  }
  return {0, 0};
}

bool fits_image(const ImageFilter& filter, const ImageShape& shape) {
  const FilterGrid grid = filter_grid(filter.kind);
  return grid.across > 0 && filter.width >= 1 && filter.height >= 1 &&
         filter.channel < shape.channels && filter.x + grid.across * filter.width <= shape.width &&
         filter.y + grid.down * filter.height <= shape.height;
}

std::uint32_t middle_pixel(const ImageFilter& filter, const ImageShape& shape) {
  const FilterGrid grid = filter_grid(filter.kind);
  const std::uint32_t x = filter.x + grid.across * filter.width / 2;
  const std::uint32_t y = filter.y + grid.down * filter.height / 2;
  return (y * shape.width + x) * shape.channels + filter.channel;
}

std::size_t integral_places(const ImageShape& shape) {
  return std::size_t{shape.width + 1} * (shape.height + 1) * shape.channels;
}

// Partial sums of a filter's taps stay within 16 times the sum over the whole image.
double most_pixel(const ImageShape& shape) {
  return std::floor(0x1p27 / (static_cast<double>(shape.width) * shape.height));
}

template <class Number>
void integrate_image(const double* pixels, const ImageShape& shape, Number* out) {
  const double most = most_pixel(shape);
  const std::size_t line = shape.width + 1;
  for (std::size_t c = 0; c < shape.channels; ++c) {
    std::fill(out, out + line, Number{});
    for (std::size_t y = 0; y < shape.height; ++y) {
      Number sum{};
      const Number* const above = out + y * line;
      Number* const to = out + (y + 1) * line;
      to[0] = sum;
      for (std::size_t x = 0; x < shape.width; ++x) {
        const double value = pixels[(y * shape.width + x) * shape.channels + c] * shape.scale;
        // Written so that NaN counts as 0.
        const double whole = value == value ? std::round(std::clamp(value, -most, most)) : 0;
        sum += static_cast<Number>(whole);
        to[x + 1] = above[x + 1] + sum;
      }
    }
    out += line * (shape.height + 1);
  }
}

template void integrate_image(const double*, const ImageShape&, std::int32_t*);
template void integrate_image(const double*, const ImageShape&, double*);

FilterTaps filter_taps(const ImageFilter& filter, const ImageShape& shape) {
  assert(fits_image(filter, shape));
  const FilterGrid grid = filter_grid(filter.kind);
  const std::array<std::int32_t, 4> factors = rectangle_factors(filter.kind);
  const std::uint32_t line = shape.width + 1;
  const std::uint32_t channel = filter.channel * line * (shape.height + 1);
  // Corner (i, j) has what each rectangle around it counts there.
  FilterTaps taps;
  for (std::uint32_t j = 0; j <= grid.down; ++j)
    for (std::uint32_t i = 0; i <= grid.across; ++i) {
      const auto rectangle = [&](std::uint32_t x, std::uint32_t y) {
        return x < grid.across && y < grid.down ? factors[y * grid.across + x] : 0;
      };
      // Unsigned numbers wrap around: there is no rectangle left of or above the first.
      const std::int32_t factor =
          rectangle(i, j) - rectangle(i - 1, j) - rectangle(i, j - 1) + rectangle(i - 1, j - 1);
      if (factor == 0) continue;
      taps.place[taps.count] =
          channel + (filter.y + j * filter.height) * line + filter.x + i * filter.width;
      taps.factor[taps.count++] = factor;
    }
  return taps;
}

}  // namespace simplexboost
