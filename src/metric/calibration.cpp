#include "metric/calibration.h"

#include <algorithm>
#include <cmath>

namespace simplexboost {

void Calibration::add(double probability, bool is_true, double weight) {
  // Bins hold their upper end, but for the first, which holds both. Written so that NaN is there.
  const double place = std::ceil(probability * kBins) - 1;
  const auto bin = place > 0 ? std::min(static_cast<std::size_t>(place), kBins - 1) : 0;
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
