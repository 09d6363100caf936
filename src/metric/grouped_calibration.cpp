#include "metric/grouped_calibration.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "metric/interval.h"

namespace simplexboost {

CalibrationFigure GroupedCalibration::figure() const {
  Calibration all;
  for (const Calibration& group : groups_) all.merge(group);
  std::vector<double> without;
  for (std::size_t g = 0; g < kGroups; ++g) {
    Calibration rest;
    for (std::size_t h = 0; h < kGroups; ++h)
      if (h != g) rest.merge(groups_[h]);
    if (!std::isnan(rest.error())) without.push_back(rest.error());
  }
  double mean = 0;
  for (const double one : without) mean += one / static_cast<double>(without.size());
  double variance = 0;
  for (const double one : without) variance += (one - mean) * (one - mean);
  variance *= static_cast<double>(kGroups - 1) / kGroups;
  const double half = kNormal95 * std::sqrt(variance);
  const double value = all.error();
  return {value, std::max(value - half, 0.0), std::min(value + half, 1.0)};
}

}  // namespace simplexboost
