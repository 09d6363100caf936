// The expected calibration error with an interval, by the jackknife over groups of rows.
#pragma once

#include <array>
#include <cstddef>

#include "metric/calibration.h"

namespace simplexboost {

struct CalibrationFigure {
  double value = 0;
  double low = 0;  // it is within these with a chance of 95 %
  double high = 0;
};

class GroupedCalibration {
 public:
  void add(std::size_t row, double probability, bool holds, double weight = 1) {
    groups_[row % kGroups].add(probability, holds, weight);
  }

  CalibrationFigure figure() const;

 private:
  static constexpr std::size_t kGroups = 20;

  std::array<Calibration, kGroups> groups_;
};

}  // namespace simplexboost
