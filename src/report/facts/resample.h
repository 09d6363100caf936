// The bootstrap: figures of rows that are drawn again and again with replacement say how much
// chance is in those of the rows themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "metric/interval.h"

namespace simplexboost {

// Sums over rows, kept by units: each row is one, or, where there are many, each of some thousands
// of random groups of rows, whose sums vary as much.
class ResampledSums {
 public:
  // `width` numbers a row.
  ResampledSums(std::size_t rows, std::size_t width, std::uint64_t seed);

  // The unit of a row, for its numbers to be added to.
  double* unit(std::size_t row) { return sums_.data() + unit_of_[row] * width_; }

  // Figures are functions of the sums over all rows. 95 %: the middle of what 1,000 draws give,
  // moved so that its mean is the figure itself. Figures that are not finite have no interval.
  using Figures = std::function<void(const double* sums, std::span<double> figures)>;
  std::vector<Interval> intervals(std::size_t count, const Figures& figures, int threads) const;

 private:
  std::size_t width_;
  std::size_t units_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> unit_of_;
  std::vector<double> sums_;
};

// The chance of a split as uneven as this one, or more so, between two that are equally likely:
// McNemar's exact test of how often only one of two is right.
double sign_test(std::size_t first, std::size_t second);

}  // namespace simplexboost
