// The numbers of a column as they are read, in the narrowest type that loses nothing. Most columns
// of files are small whole numbers, and a table of doubles would be larger than all that training
// takes.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "simplexboost/dataset.h"

namespace simplexboost {

// Bytes of a number.
std::size_t size_of(Scalar scalar);

class NumberColumn {
 public:
  explicit NumberColumn(std::size_t rows = 0) : rows_(rows) {}
  explicit NumberColumn(const std::vector<double>& numbers) : NumberColumn(numbers.size()) {
    set(0, numbers.data(), numbers.size());
  }

  // That of the numbers so far.
  Scalar scalar() const { return scalar_; }

  // Those of the rows [first, first + count); NaN: missing. The type widens as it must.
  void set(std::size_t first, const double* numbers, std::size_t count);

  std::vector<double> numbers() const;
  std::size_t known() const;  // that are not missing
  Column take(const FeatureSchema& schema);

 private:
  std::size_t rows_;
  Scalar scalar_ = Scalar::kUint8;
  std::shared_ptr<std::byte[]> values_;  // none before the first set()
};

}  // namespace simplexboost
