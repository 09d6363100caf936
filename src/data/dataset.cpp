#include "simplexboost/dataset.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace simplexboost {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

template <class T>
Column own(FeatureSchema schema, Scalar scalar, std::vector<T> values) {
  auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  Column column;
  column.schema = std::move(schema);
  column.scalar = scalar;
  column.data = reinterpret_cast<const std::byte*>(owner->data());
  column.stride = sizeof(T);
  column.owner = std::move(owner);
  return column;
}

template <class T>
double load(const std::byte* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  if constexpr (std::is_integral_v<T>) return value < 0 ? kMissing : static_cast<double>(value);
  return static_cast<double>(value);
}

// Writes values [begin, end) of the column's storage, reading every `stride` bytes.
template <class T>
void copy_typed(const Column& column, std::size_t begin, std::size_t end, double* out) {
  const std::byte* place = column.data + static_cast<std::ptrdiff_t>(begin) * column.stride;
  for (std::size_t i = begin; i < end; ++i, place += column.stride) *out++ = load<T>(place);
}

void copy_storage(const Column& column, std::size_t begin, std::size_t end, double* out) {
  switch (column.scalar) {
    case Scalar::kFloat32: return copy_typed<float>(column, begin, end, out);
    case Scalar::kFloat64: return copy_typed<double>(column, begin, end, out);
    case Scalar::kInt32: return copy_typed<std::int32_t>(column, begin, end, out);
  }
}

}  // namespace

Column Column::numeric(std::string name, std::vector<double> values) {
  return own(FeatureSchema{std::move(name), FeatureType::kNumeric, {}}, Scalar::kFloat64,
             std::move(values));
}

Column Column::categorical(std::string name, std::vector<std::int32_t> codes,
                           std::vector<std::string> categories) {
  return own(FeatureSchema{std::move(name), FeatureType::kCategorical, std::move(categories)},
             Scalar::kInt32, std::move(codes));
}

Column Column::sparse_numeric(std::string name, std::vector<std::uint32_t> rows,
                              std::vector<double> values) {
  assert(rows.size() == values.size());
  Column column = numeric(std::move(name), std::move(values));
  column.sparse = true;
  column.sparse_rows = std::make_shared<const std::vector<std::uint32_t>>(std::move(rows));
  return column;
}

void Column::copy(std::size_t begin, std::size_t end, double* out) const {
  if (!sparse) return copy_storage(*this, begin, end, out);
  std::fill(out, out + (end - begin), 0.0);
  const auto& rows = *sparse_rows;
  auto it = std::lower_bound(rows.begin(), rows.end(), begin);
  for (; it != rows.end() && *it < end; ++it) {
    const auto k = static_cast<std::size_t>(it - rows.begin());
    copy_storage(*this, k, k + 1, out + (*it - begin));
  }
}

Schema Dataset::schema() const {
  Schema result;
  for (const Column& column : columns) result.features.push_back(column.schema);
  result.classes = labels.classes;
  result.label_columns = labels.columns;
  result.multi_label = labels.multi_label();
  result.named = named;
  return result;
}

namespace {

template <class T>
Column select_dense(const Column& column, const std::vector<std::uint32_t>& rows) {
  std::vector<T> values;
  values.reserve(rows.size());
  for (const std::uint32_t row : rows) {
    T value;
    std::memcpy(&value, column.data + static_cast<std::ptrdiff_t>(row) * column.stride,
                sizeof value);
    values.push_back(value);
  }
  return own(column.schema, column.scalar, std::move(values));
}

Column select_sparse(const Column& column, const std::vector<std::uint32_t>& rows) {
  std::vector<std::uint32_t> kept_rows;
  std::vector<double> values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double value = 0;
    column.copy(rows[i], rows[i] + 1, &value);
    if (value == 0) continue;
    kept_rows.push_back(static_cast<std::uint32_t>(i));
    values.push_back(value);
  }
  return Column::sparse_numeric(column.schema.name, std::move(kept_rows), std::move(values));
}

Column select_column(const Column& column, const std::vector<std::uint32_t>& rows) {
  if (column.sparse) return select_sparse(column, rows);
  switch (column.scalar) {
    case Scalar::kFloat32: return select_dense<float>(column, rows);
    case Scalar::kFloat64: return select_dense<double>(column, rows);
    case Scalar::kInt32: return select_dense<std::int32_t>(column, rows);
  }
  return {};
}

Labels select_labels(const Labels& labels, const std::vector<std::uint32_t>& rows) {
  Labels result;
  result.classes = labels.classes;
  result.columns = labels.columns;
  if (labels.empty()) return result;
  if (!labels.multi_label()) {
    for (const std::uint32_t row : rows) result.codes.push_back(labels.codes[row]);
    return result;
  }
  result.offsets.push_back(0);
  for (const std::uint32_t row : rows) {
    for (std::size_t k = labels.offsets[row]; k < labels.offsets[row + 1]; ++k)
      result.codes.push_back(labels.codes[k]);
    result.offsets.push_back(result.codes.size());
  }
  return result;
}

}  // namespace

Dataset select_rows(const Dataset& data, const std::vector<std::uint32_t>& rows) {
  Dataset result;
  result.source = data.source;
  result.rows = rows.size();
  result.named = data.named;
  for (const Column& column : data.columns) result.columns.push_back(select_column(column, rows));
  result.labels = select_labels(data.labels, rows);
  if (!data.weights.empty())
    for (const std::uint32_t row : rows) result.weights.push_back(data.weights[row]);
  return result;
}

}  // namespace simplexboost
