#include "metric/calibration.h"

#include <algorithm>
#include <cmath>

namespace simplexboost {

// Bins hold their upper end, but for the first, which holds both. Written so that NaN is there.
std::size_t Calibration::bin_of(double probability) {
  const double place = std::ceil(probability * kBins) - 1;
  return place > 0 ? std::min(static_cast<std::size_t>(place), kBins - 1) : 0;
}

void Calibration::add(double probability, bool is_true, double weight) {
  const std::size_t bin = bin_of(probability);
  bins_[bin].weight += weight;
  bins_[bin].probability += weight * probability;
  bins_[bin].truth += is_true ? weight : 0;
}

void Calibration::merge(const Calibration& other) {
  for (std::size_t b = 0; b < kBins; ++b) {
    bins_[b].weight += other.bins_[b].weight;
    bins_[b].probability += other.bins_[b].probability;
    bins_[b].truth += other.bins_[b].truth;
  }
}

double Calibration::error() const {
  double sum = 0;
  double total = 0;
  for (const Bin& bin : bins_) {
    sum += std::abs(bin.truth - bin.probability);
    total += bin.weight;
  }
  return sum / total;
}

}  // namespace simplexboost
