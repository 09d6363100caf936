#include "data/shared_bytes.h"

#include <algorithm>

namespace simplexboost {
namespace {

// Bytes with room that a feature is offered to: more would find hardly more.
constexpr std::size_t kOpenBytes = 16;

bool may_share(const FeatureBins& bins) {
  return !bins.statistic() && bins.histogram_bins() >= 2 &&
         bins.histogram_bins() <= SharedBytes::kCodes / 2;
}

// Those of most bins first, each into the first byte that has room for it.
std::vector<SharedBytes::Byte> share_out(const std::vector<FeatureBins>& bins,
                                         std::vector<std::uint32_t> features) {
  std::stable_sort(features.begin(), features.end(), [&](std::uint32_t a, std::uint32_t b) {
    return bins[a].histogram_bins() > bins[b].histogram_bins();
  });
  std::vector<SharedBytes::Byte> bytes;
  std::size_t first = 0;
  for (const std::uint32_t feature : features) {
    const std::uint32_t more = bins[feature].histogram_bins();
    const auto fits = [&](const SharedBytes::Byte& byte) {
      return std::size_t{byte.codes} * more <= SharedBytes::kCodes;
    };
    std::size_t at = first;
    while (at < bytes.size() && !fits(bytes[at])) ++at;
    if (at == bytes.size()) bytes.emplace_back();
    bytes[at].features.push_back(feature);
    bytes[at].codes *= more;
    first = std::max(first, bytes.size() - std::min(bytes.size(), kOpenBytes));
  }
  std::erase_if(bytes, [](const SharedBytes::Byte& byte) { return byte.features.size() < 2; });
  for (SharedBytes::Byte& byte : bytes) std::sort(byte.features.begin(), byte.features.end());
  return bytes;
}

}  // namespace

SharedBytes::SharedBytes(const std::vector<FeatureBins>& bins,
                         const std::vector<std::uint32_t>& dense,
                         const std::vector<std::vector<std::uint32_t>>& exclusive) {
  std::vector<std::uint32_t> few;
  for (const std::uint32_t feature : dense)
    if (may_share(bins[feature])) few.push_back(feature);
  bytes_ = share_out(bins, std::move(few));
  for (const std::vector<std::uint32_t>& set : exclusive) bytes_.push_back({set, 1, true});
  if (bytes_.empty()) return;
  places_.resize(bins.size());
  for (std::uint32_t b = 0; b < bytes_.size(); ++b) {
    Byte& byte = bytes_[b];
    std::uint32_t weight = 1;
    for (const std::uint32_t feature : byte.features) {
      const FeatureBins& of = bins[feature];
      Place& place = places_[feature];
      place = {b, weight, static_cast<std::uint32_t>(digits_.size())};
      if (byte.exclusive) {
        place.default_bin = of.default_bin;
        weight += of.histogram_bins() - 1;
      } else {
        weight *= of.histogram_bins();
      }
      digits_.push_back(digits_of(place, of.histogram_bins()));
    }
    byte.codes = weight;
  }
}

SharedBytes::Digits SharedBytes::digits_of(const Place& place, std::uint32_t bins) {
  Digits digits{};
  for (std::uint32_t code = 0; code < kCodes; ++code) {
    std::uint32_t bin = code / place.weight % bins;
    if (place.default_bin != kNone) {
      const bool other = code >= place.weight && code - place.weight < bins - 1;
      bin = other ? code - place.weight : place.default_bin;
      if (other && bin >= place.default_bin) ++bin;
    }
    digits[code] = static_cast<std::uint8_t>(bin);
  }
  return digits;
}

}  // namespace simplexboost
