// The integral images of all rows of a data set, place by place: the values of a filter on many
// rows are then sums of a few arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned_vector.h"
#include "base/communicator.h"
#include "base/image/filter_taps.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

// The shape with the scale at which filters see these data, those of all ranks: 1 where all pixels
// are whole numbers that are not too large, else the power of two that leaves most of their digits.
// Throws DataError where the features are no such images.
ImageShape fit_image_shape(const Dataset& data, ImageShape shape,
                           Communicator& ranks = no_others());

class IntegralImages {
 public:
  IntegralImages(const Dataset& data, const ImageShape& shape, int threads);
  // Those of all ranks' rows, of which `share` has those that are here.
  IntegralImages(const IntegralImages& share, Communicator& ranks);

  const ImageShape& shape() const { return shape_; }

  // A filter's value on one row.
  std::int32_t value(const FilterTaps& taps, std::size_t row) const {
    return taps.value([&](std::uint32_t place) { return sums_[place * rows_ + row]; });
  }
  // On many.
  void values(const FilterTaps& taps, std::span<const std::uint32_t> rows, std::int32_t* out) const;

 private:
  template <std::size_t kTaps>
  void sum_taps(const FilterTaps& taps, std::span<const std::uint32_t> rows,
                std::int32_t* out) const;

  ImageShape shape_;
  std::size_t rows_;
  AlignedVector<std::int32_t> sums_;  // places x rows
};

}  // namespace simplexboost
