// Tables of features with labels, as they come from a file, a generator or a caller's arrays.
// A Dataset is columnar and does not own more than it must: a column is a typed, strided view that
// keeps its owner alive, so a caller's matrix is used in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simplexboost/export.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

enum class FeatureType : std::uint8_t { kNumeric, kCategorical };

// What a model remembers about one feature.
struct FeatureSchema {
  std::string name;
  FeatureType type = FeatureType::kNumeric;
  std::vector<std::string> categories;  // kCategorical: the name of each code

  bool operator==(const FeatureSchema&) const = default;
};

// What a model remembers about its training data, and what prediction data is matched with.
struct Schema {
  std::vector<FeatureSchema> features;
  std::vector<std::string> classes;        // class names, in the order of the class codes
  std::vector<std::string> label_columns;  // one name; several (or none) for multi-label data
  bool multi_label = false;
  bool named = true;  // false: the source had no header, columns go by position

  bool operator==(const Schema&) const = default;
};

enum class Scalar : std::uint8_t {
  kFloat32,
  kFloat64,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64
};

// One feature of all rows: numbers of any kind (NaN = missing) or category codes (kInt32, -1 =
// missing).
// Dense columns have a value a row at `data + row * stride`, or, where they are a choice of rows,
// row i has the value at `data + rows[i] * stride`. Sparse ones name the rows that are not zero,
// ascending, and hold one value for each of these.
struct SIMPLEXBOOST_API Column {
  FeatureSchema schema;
  Scalar scalar = Scalar::kFloat64;
  const std::byte* data = nullptr;
  std::ptrdiff_t stride = 0;                  // in bytes
  std::shared_ptr<const void> owner;          // keeps `data` alive
  std::shared_ptr<const std::uint32_t> rows;  // dense: see above; null: all rows, in order
  bool sparse = false;
  std::shared_ptr<const std::vector<std::uint32_t>> sparse_rows;  // only if sparse

  static Column numeric(std::string name, std::vector<double> values);
  static Column categorical(std::string name, std::vector<std::int32_t> codes,
                            std::vector<std::string> categories);
  static Column sparse_numeric(std::string name, std::vector<std::uint32_t> rows,
                               std::vector<double> values);

  // Where a dense column has the value of a row.
  const std::byte* place(std::size_t row) const {
    return data + static_cast<std::ptrdiff_t>(rows ? rows.get()[row] : row) * stride;
  }
  // Copies rows [begin, end) to `out`, as numbers (codes too; a missing code gives NaN).
  void copy(std::size_t begin, std::size_t end, double* out) const;
};

// Class codes of all rows. Single-label: `codes` has one a row, -1 where the class is not one of
// `classes` (possible only where data was matched with a model's schema). Multi-label: row i holds
// codes[offsets[i]] .. codes[offsets[i + 1] - 1], ascending.
struct Labels {
  std::vector<std::string> classes;
  std::vector<std::int32_t> codes;
  std::vector<std::size_t> offsets;  // multi-label only: rows + 1 entries
  std::vector<std::string> columns;  // the label columns' names in the source
  // What a row says about a class counts so much, rows x classes, row-major, times the row's
  // weight; empty: as the algorithm has it (adaboost-mh: for one label a row 1/2 for the class and
  // 1/(2(K-1)) for the others, for several labels all the same). 0: the row does not say, so that
  // the label is unknown. Of the algorithms, adaboost-mh and one-vs-all take them.
  std::vector<float> weights = {};

  bool multi_label() const { return !offsets.empty(); }
  bool empty() const { return codes.empty() && offsets.empty(); }
  // The weights of a row, one a class; null where there are none.
  const float* row_weights(std::size_t row) const {
    return weights.empty() ? nullptr : weights.data() + row * classes.size();
  }
};

struct SIMPLEXBOOST_API Dataset {
  std::string source;  // file name, for messages
  std::size_t rows = 0;
  std::vector<Column> columns;
  Labels labels;                // may be empty, for prediction
  std::vector<double> weights;  // empty: all 1
  bool named = true;            // columns carry names from a header

  Schema schema() const;
};

// The given rows of a data set, in the given order (repeats allowed). Categories and classes stay
// as they are, so parts of one set agree in their codes. Dense columns are seen through a list of
// rows, not copied, and keep the owner of all rows alive.
SIMPLEXBOOST_API Dataset select_rows(const Dataset& data, const std::vector<std::uint32_t>& rows);

struct DatasetSplit {
  Dataset train;
  Dataset valid;
};

// Sets a share of the rows aside, each class in its share; what the command's --valid-fraction
// does. No class loses its last training row; DataError where there are too few rows.
SIMPLEXBOOST_API DatasetSplit split_rows(const Dataset& data, double fraction,
                                         std::uint64_t seed = 0);

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
