#include "simplexboost/dataset.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "data/device_memory.h"
#include "data/readers/table/number_column.h"
#include "data/visit_scalar.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

using RowList = std::shared_ptr<const std::uint32_t>;

RowList own_rows(std::vector<std::uint32_t> rows) {
  const auto owner = std::make_shared<const std::vector<std::uint32_t>>(std::move(rows));
  return {owner, owner->data()};
}

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
  if (memory_of(*this)) return copy_storage(brought_here(*this, begin, end), 0, end - begin, out);
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

// Where the rows of a set are among selected ones, so that a sparse column is selected in the time
// that what it stores takes, however many rows there are.
class SelectedPlaces {
 public:
  SelectedPlaces(std::size_t rows, const std::vector<std::uint32_t>& selected)
      : starts_(rows + 1), places_(selected.size()) {
    for (const std::uint32_t row : selected) ++starts_[row + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
    for (std::size_t i = 0; i < selected.size(); ++i)
      places_[next[selected[i]]++] = static_cast<std::uint32_t>(i);
  }

  Column select(const Column& column) const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> kept;  // new row, number of its value
    const std::vector<std::uint32_t>& rows = *column.sparse_rows;
    for (std::uint32_t k = 0; k < rows.size(); ++k)
      for (std::uint32_t p = starts_[rows[k]]; p < starts_[rows[k] + std::size_t{1}]; ++p)
        kept.emplace_back(places_[p], k);
    if (!std::is_sorted(kept.begin(), kept.end())) std::sort(kept.begin(), kept.end());
    const std::size_t size = size_of(column.scalar);
    std::vector<std::uint32_t> new_rows;
    std::vector<std::byte> values(kept.size() * size);
    new_rows.reserve(kept.size());
    for (const auto& [row, k] : kept) {
      std::memcpy(values.data() + new_rows.size() * size,
                  column.data + std::ptrdiff_t{k} * column.stride, size);
      new_rows.push_back(row);
    }
    Column selected = own(column.schema, column.scalar, std::move(values));
    selected.stride = static_cast<std::ptrdiff_t>(size);
    selected.sparse = true;
    selected.sparse_rows = std::make_shared<const std::vector<std::uint32_t>>(std::move(new_rows));
    return selected;
  }

 private:
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint32_t> places_;
};

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
  std::optional<SelectedPlaces> places;
  result.columns.reserve(data.columns.size());
  for (const Column& column : data.columns) {
    if (column.sparse) {
      if (!places) places.emplace(data.rows, rows);
      result.columns.push_back(places->select(column));
      continue;
    }
    // A choice of rows is one of this process's memory.
    result.columns.push_back(memory_of(column) ? brought_here(column, 0, data.rows) : column);
    result.columns.back().rows = lists.through(column.rows);
  }
  result.labels = select_labels(data.labels, rows);
  if (!data.weights.empty())
    for (const std::uint32_t row : rows) result.weights.push_back(data.weights[row]);
  return result;
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI

namespace simplexboost {

Column brought_here(const Column& column, std::size_t begin, std::size_t end) {
  return visit_scalar(column.scalar, [&]<class T>(T) {
    std::vector<T> values(end - begin);
    if (!values.empty())
      memory_of(column)->fetch(values.data(), column.place(begin), sizeof(T), column.stride,
                               values.size());
    return own(column.schema, column.scalar, std::move(values));
  });
}

}  // namespace simplexboost
