#include "simplexboost/dataset.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
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

// Calls f with a value of the type that `scalar` names.
template <class F>
auto visit_scalar(Scalar scalar, const F& f) {
  switch (scalar) {
    case Scalar::kFloat32: return f(float{});
    case Scalar::kInt8: return f(std::int8_t{});
    case Scalar::kInt16: return f(std::int16_t{});
    case Scalar::kInt32: return f(std::int32_t{});
    case Scalar::kInt64: return f(std::int64_t{});
    case Scalar::kUint8: return f(std::uint8_t{});
    case Scalar::kUint16: return f(std::uint16_t{});
    case Scalar::kUint32: return f(std::uint32_t{});
    case Scalar::kUint64: return f(std::uint64_t{});
    case Scalar::kFloat64: break;
  }
  return f(double{});
}

// Writes values [begin, end) of the column's storage, reading every `stride` bytes.
void copy_storage(const Column& column, std::size_t begin, std::size_t end, double* out) {
  const std::byte* place = column.data + static_cast<std::ptrdiff_t>(begin) * column.stride;
  visit_scalar(column.scalar, [&]<class T>(T value) {
    for (std::size_t i = 0; i < end - begin; ++i, place += column.stride) {
      std::memcpy(&value, place, sizeof value);
      out[i] = static_cast<double>(value);
    }
  });
  if (column.schema.type == FeatureType::kCategorical)
    for (std::size_t i = 0; i < end - begin; ++i)
      if (out[i] < 0) out[i] = kMissing;
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
  return visit_scalar(column.scalar, [&]<class T>(T) { return select_dense<T>(column, rows); });
}

Labels select_labels(const Labels& labels, const std::vector<std::uint32_t>& rows) {
  Labels result;
  result.classes = labels.classes;
  result.columns = labels.columns;
  if (labels.empty()) return result;
  if (!labels.weights.empty())
    for (const std::uint32_t row : rows)
      result.weights.insert(result.weights.end(), labels.row_weights(row),
                            labels.row_weights(row) + labels.classes.size());
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
