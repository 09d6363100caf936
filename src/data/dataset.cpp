#include "simplexboost/dataset.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <utility>

#include "data/visit_scalar.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {
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

// Writes values [begin, end) of the column's storage, reading every `stride` bytes, or those of the
// rows that the column names.
void copy_storage(const Column& column, std::size_t begin, std::size_t end, double* out) {
  visit_scalar(column.scalar, [&]<class T>(T value) {
    if (column.rows) {
      const std::uint32_t* const rows = column.rows.get() + begin;
      for (std::size_t i = 0; i < end - begin; ++i) {
        const std::byte* const place = column.data + std::ptrdiff_t{rows[i]} * column.stride;
        std::memcpy(&value, place, sizeof value);
        out[i] = static_cast<double>(value);
      }
      return;
    }
    const std::byte* place = column.data + static_cast<std::ptrdiff_t>(begin) * column.stride;
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
  const auto& nonzero = *sparse_rows;
  auto it = std::lower_bound(nonzero.begin(), nonzero.end(), begin);
  for (; it != nonzero.end() && *it < end; ++it) {
    const auto k = static_cast<std::size_t>(it - nonzero.begin());
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

using RowList = std::shared_ptr<const std::uint32_t>;

RowList own_rows(std::vector<std::uint32_t> rows) {
  const auto owner = std::make_shared<const std::vector<std::uint32_t>>(std::move(rows));
  return {owner, owner->data()};
}

// The rows of the storage that selected rows of a column are: columns that saw the same ones before
// share the list.
class RowLists {
 public:
  explicit RowLists(const std::vector<std::uint32_t>& rows) : rows_(rows) {}

  const RowList& through(const RowList& before) {
    for (const auto& [known, list] : lists_)
      if (known == before) return list;
    std::vector<std::uint32_t> places = rows_;
    if (before)
      for (std::uint32_t& place : places) place = before.get()[place];
    return lists_.emplace_back(before, own_rows(std::move(places))).second;
  }

 private:
  const std::vector<std::uint32_t>& rows_;
  std::vector<std::pair<RowList, RowList>> lists_;
};

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
  RowLists lists(rows);
  for (const Column& column : data.columns) {
    result.columns.push_back(column.sparse ? select_sparse(column, rows) : column);
    if (!column.sparse) result.columns.back().rows = lists.through(column.rows);
  }
  result.labels = select_labels(data.labels, rows);
  if (!data.weights.empty())
    for (const std::uint32_t row : rows) result.weights.push_back(data.weights[row]);
  return result;
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
