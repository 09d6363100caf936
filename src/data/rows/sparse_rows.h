// From rows that list what is not zero to sparse columns. What it takes follows what is listed, in
// the narrowest types: six bytes a value or so where values are small whole numbers, and at the
// turn no more than twice that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/growing_array.h"
#include "simplexboost/dataset.h"

namespace simplexboost {

// Data of more features than this has no columns for those that are zero in all rows: a few rows of
// large indices would else take more memory for names than for numbers.
inline constexpr std::size_t kMostEmptyFeatures = 65'536;

// The columns, by number; some may be empty.
class SparseColumns {
 public:
  // Of so many features, which store so many values each.
  SparseColumns(const std::vector<std::uint32_t>& stored, Scalar scalar);

  std::size_t features() const { return number_.size(); }
  bool empty(std::size_t feature) const { return number_[feature] == kEmpty; }
  std::size_t filled_features() const { return rows_.size(); }

  // Rows ascend in each feature.
  void put(std::uint32_t row, std::size_t feature, double value);
  // The column of a feature, once; an empty one if there is none.
  Column take(std::size_t feature, std::string name);

 private:
  static constexpr std::uint32_t kEmpty = 0xffffffff;

  Scalar scalar_;
  std::vector<std::uint32_t> number_;             // of each feature among those that are not empty
  std::vector<std::vector<std::uint32_t>> rows_;  // of these
  std::vector<std::size_t> starts_;               // of their values
  std::shared_ptr<std::byte[]> values_;
};

class SparseRows {
 public:
  // A value of the row that has begun, in any order of features. Zeros are not kept.
  void add(std::uint32_t feature, double value);
  void end_row();
  // There are so many features at least.
  void widen(std::size_t features);

  std::size_t rows() const { return counts_.size(); }
  std::size_t features() const { return stored_.size(); }

  // All rows, which are gone then.
  SparseColumns columns();

 private:
  // Entries of rows, one behind the other.
  struct Chunk {
    std::vector<std::uint32_t> features;
    Column values;
  };
  void close_chunk();

  std::vector<Chunk> chunks_;
  std::vector<std::uint32_t> open_features_;  // of the chunk to come
  std::vector<double> open_values_;
  GrowingArray<std::uint32_t> counts_;  // entries of each row
  std::uint32_t count_ = 0;             // of the one that has begun
  std::vector<std::uint32_t> stored_;   // entries of each feature
};

}  // namespace simplexboost
