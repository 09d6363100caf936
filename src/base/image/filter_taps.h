// Filters as sums over an integral image, in which the place (x, y) of a channel holds the sum of
// all pixels above and left of it: a rectangle is four places, and a filter nine at most.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "simplexboost/image_filter.h"

namespace simplexboost {

// Images larger than this are refused.
inline constexpr std::uint32_t kMostImageSide = 4096;

// "28x28" or "32x32x3"; the scale is 1. Throws ParameterError.
ImageShape parse_image_shape(const std::string& text);

// How many rectangles of a filter stand side by side, and one below the other.
struct FilterGrid {
  std::uint32_t across;
  std::uint32_t down;
};
FilterGrid filter_grid(FilterKind kind);
inline constexpr std::uint32_t kFilterKinds = 5;

// Whether all of it lies within the image.
bool fits_image(const ImageFilter& filter, const ImageShape& shape);

// The feature that is the pixel at the middle of a filter.
std::uint32_t middle_pixel(const ImageFilter& filter, const ImageShape& shape);

// Places of an integral image: (width + 1) x (height + 1) for each channel.
std::size_t integral_places(const ImageShape& shape);

// The largest size of a scaled pixel: beyond, sums over a filter might leave 32 bits.
double most_pixel(const ImageShape& shape);

// From the pixels of one row (features() numbers, NaN counts as 0) to its integral image; Number is
// an integer or a double, which hold the same whole numbers.
template <class Number>
void integrate_image(const double* pixels, const ImageShape& shape, Number* out);

struct FilterTaps {
  std::uint32_t count = 0;
  std::array<std::uint32_t, 9> place = {};
  std::array<std::int32_t, 9> factor = {};

  // `at` gives the number of a place.
  template <class At>
  auto value(const At& at) const {
    auto sum = factor[0] * at(place[0]);
    for (std::uint32_t i = 1; i < count; ++i) sum += factor[i] * at(place[i]);
    return sum;
  }
};

FilterTaps filter_taps(const ImageFilter& filter, const ImageShape& shape);

}  // namespace simplexboost
