// The weights of rows: what a data set holds, without an array where all rows count the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/row_space.h"

namespace simplexboost {

class RowWeights {
 public:
  // `given`: one a row, which outlive this; empty: all 1.
  RowWeights(std::span<const double> given = {}) : given_(given) {}
  RowWeights(const std::vector<double>& given) : given_(given) {}
  RowWeights(std::vector<double>&& given) = delete;  // it would be gone

  double operator[](std::size_t row) const { return given_.empty() ? 1.0 : given_[row]; }

  // Of all rows, those of the other ranks too.
  double sum(const RowSpace& space) const {
    return space.sum(RowSpace::kBlock, [&](std::size_t begin, std::size_t end) {
      double part = 0;
      for (std::size_t i = begin; i < end; ++i) part += (*this)[i];
      return part;
    });
  }
  // Of the rows that are here.
  bool all_equal() const {
    return std::all_of(given_.begin(), given_.end(), [&](double w) { return w == given_[0]; });
  }

 private:
  std::span<const double> given_;
};

}  // namespace simplexboost
