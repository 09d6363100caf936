// Features of few values that share the bytes of the training matrix. A byte is either a number
// whose digits are the bins of some dense features, as many as 256 combinations allow: two features
// of 16 values, or eight of two. Or it tells which of some sparse features that exclude each other
// is not in its default bin, and in which it is (exclusive_features.h). Histograms are filled for
// bytes and told apart for features (tree/node_rows.h), which takes fewer additions, too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/binning.h"

namespace simplexboost {

class SharedBytes {
 public:
  static constexpr std::size_t kCodes = 256;
  // The bin that each number means.
  using Digits = std::array<std::uint8_t, kCodes>;

  struct Byte {
    std::vector<std::uint32_t> features;  // two or more, ascending
    std::uint32_t codes = 1;              // values that it can have
    bool exclusive = false;
  };

  SharedBytes() = default;
  // For some of the dense features, by their bins alone, so that all ranks find the same; and for
  // sets of exclusive ones. Rows have the bins that training has seen: none is missing where no
  // value was (FeatureBins::histogram_bins).
  SharedBytes(const std::vector<FeatureBins>& bins, const std::vector<std::uint32_t>& dense,
              const std::vector<std::vector<std::uint32_t>>& exclusive = {});

  const std::vector<Byte>& bytes() const { return bytes_; }
  bool shares(std::size_t feature) const {
    return !places_.empty() && places_[feature].byte != kNone;
  }
  // Of a feature that shares one.
  std::size_t byte_of(std::size_t feature) const { return places_[feature].byte; }
  // What a bin of the feature adds to the byte.
  std::uint32_t addend(std::size_t feature, std::uint32_t bin) const {
    const Place& place = places_[feature];
    if (place.default_bin == kNone) return place.weight * bin;
    if (bin == place.default_bin) return 0;
    return place.weight + bin - (bin > place.default_bin ? 1 : 0);
  }
  const std::uint8_t* digits(std::size_t feature) const {
    return digits_[places_[feature].digits].data();
  }

 private:
  static constexpr std::uint32_t kNone = 0xffff'ffff;
  struct Place {
    std::uint32_t byte = kNone;
    std::uint32_t weight = 1;  // of a digit; exclusive: the number of the first bin
    std::uint32_t digits = 0;
    std::uint32_t default_bin = kNone;  // exclusive
  };

  static Digits digits_of(const Place& place, std::uint32_t bins);

  std::vector<Byte> bytes_;
  std::vector<Place> places_;  // of all features; empty: none shares
  std::vector<Digits> digits_;
};

}  // namespace simplexboost
