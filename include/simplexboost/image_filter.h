// Haar-like filters (Viola and Jones 2004): differences between the sums of neighbouring rectangles
// of an image, all of one size, by which trees may cut beside single pixels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simplexboost/export.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

// How the features of a row are an image: line by line, the channels of a pixel side by side.
struct ImageShape {
  std::uint32_t width = 0;  // 0: the features are no image
  std::uint32_t height = 0;
  std::uint32_t channels = 1;
  // Filters see pixels times this, rounded to whole numbers, so that their sums are exact.
  double scale = 1;

  bool empty() const { return width == 0; }
  std::size_t features() const { return std::size_t{width} * height * channels; }
  bool operator==(const ImageShape&) const = default;
};

enum class FilterKind : std::uint8_t {
  kTwoAcross,    // right - left
  kTwoDown,      // lower - upper
  kThreeAcross,  // left - 2 middle + right
  kThreeDown,    // upper - 2 middle + lower
  kFour,         // upper left - upper right - lower left + lower right
};

struct ImageFilter {
  std::uint16_t x = 0;  // of the first rectangle
  std::uint16_t y = 0;
  std::uint16_t width = 1;  // of each rectangle
  std::uint16_t height = 1;
  std::uint16_t channel = 0;
  FilterKind kind = FilterKind::kTwoAcross;

  bool operator==(const ImageFilter&) const = default;
};

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
