// Data sets from arrays in memory. Matrices are seen in place; categories and classes get codes as
// the readers of files give them, or those of a model, so that rows from a file and rows from
// memory agree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/export.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

template <class T>
constexpr Scalar scalar_of() {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8, "columns hold numbers of up to 8 bytes");
  if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? Scalar::kFloat32 : Scalar::kFloat64;
  constexpr bool kSigned = std::is_signed_v<T>;
  switch (sizeof(T)) {
    case 1: return kSigned ? Scalar::kInt8 : Scalar::kUint8;
    case 2: return kSigned ? Scalar::kInt16 : Scalar::kUint16;
    case 4: return kSigned ? Scalar::kInt32 : Scalar::kUint32;
    default: return kSigned ? Scalar::kInt64 : Scalar::kUint64;
  }
}

// A matrix of numbers of any kind and layout, not copied; NaN = missing.
struct MatrixView {
  const void* data = nullptr;
  Scalar scalar = Scalar::kFloat64;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::ptrdiff_t row_stride = 0;  // in bytes, from a row to the next
  std::ptrdiff_t column_stride = 0;
};

template <class T>
MatrixView row_major(const T* data, std::size_t rows, std::size_t columns) {
  return {data,
          scalar_of<T>(),
          rows,
          columns,
          static_cast<std::ptrdiff_t>(columns * sizeof(T)),
          static_cast<std::ptrdiff_t>(sizeof(T))};
}

template <class T>
MatrixView column_major(const T* data, std::size_t rows, std::size_t columns) {
  return {data,
          scalar_of<T>(),
          rows,
          columns,
          static_cast<std::ptrdiff_t>(sizeof(T)),
          static_cast<std::ptrdiff_t>(rows * sizeof(T))};
}

struct MatrixOptions {
  // One a column; none: columns go by their position, from 1, as in a file without a header.
  std::vector<std::string> names = {};
  // Columns, from 0, whose numbers are names of categories. These are copied.
  std::vector<std::size_t> categorical = {};
  // Keeps the numbers alive; without one they must live as long as the data set, and longer than a
  // training that uses it.
  std::shared_ptr<const void> owner = nullptr;
};

// Columns in the order of the calls. Everything throws DataError where sizes do not agree.
class SIMPLEXBOOST_API DatasetBuilder {
 public:
  // `source` is the name of the data in messages.
  explicit DatasetBuilder(std::size_t rows, std::string source = "the data");
  // For a model's data: columns and classes must be those of its schema, in its order. Categories
  // that it does not know are missing values, and classes that it does not know are errors to come.
  DatasetBuilder(std::size_t rows, Schema like, std::string source = "the data");
  // More for a data set that is there.
  explicit DatasetBuilder(Dataset data) : data_(std::move(data)) {}

  DatasetBuilder& add_matrix(const MatrixView& matrix, MatrixOptions options = {});
  DatasetBuilder& add_numbers(std::string name, std::vector<double> values);
  // The name of a category for each row; an empty one is a missing value.
  DatasetBuilder& add_categories(std::string name, std::span<const std::string> values);
  // `codes` count `categories` from 0; a negative one is a missing value. Those that do not occur
  // are left out, and the others get new codes in the order of their names.
  DatasetBuilder& add_categories(std::string name, std::vector<std::int32_t> codes,
                                 const std::vector<std::string>& categories);
  // Any column, as it is.
  DatasetBuilder& add_column(Column column);

  // The class of each row. `column` is the name of the label in files.
  DatasetBuilder& set_labels(std::span<const std::string> labels, std::string column = "class");
  DatasetBuilder& set_labels(std::span<const std::int64_t> labels, std::string column = "class");
  DatasetBuilder& set_labels(std::span<const std::int32_t> labels, std::string column = "class");
  // Classes and codes that are known.
  DatasetBuilder& set_labels(Labels labels);
  // What a row says about a class counts so much: rows x classes, row-major, times what was set
  // before (Labels::weights). After the labels.
  DatasetBuilder& weigh_labels(std::span<const float> weights);
  // 0 or more; a row of weight 0 does not count.
  DatasetBuilder& set_weights(std::vector<double> weights);

  // Whether columns are matched by their names; by default if all were given names.
  DatasetBuilder& set_named(bool named);

  const Dataset& data() const { return data_; }  // so far
  // The data set, checked; the builder is empty then.
  Dataset build();

 private:
  void check_rows(std::size_t rows, const std::string& what) const;
  std::string name_or_position(std::string name);
  const FeatureSchema* known() const;
  void add_number_categories(std::string name, const Column& numbers);

  Dataset data_;
  std::optional<Schema> like_;
  std::optional<bool> named_;
};

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
