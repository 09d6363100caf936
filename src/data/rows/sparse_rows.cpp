#include "data/rows/sparse_rows.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "base/memory.h"
#include "data/readers/table/number_column.h"
#include "data/visit_scalar.h"

namespace simplexboost {
namespace {

constexpr std::size_t kChunkEntries = 65'536;

}  // namespace

SparseColumns::SparseColumns(const std::vector<std::uint32_t>& stored, Scalar scalar)
    : scalar_(scalar), number_(stored.size(), kEmpty) {
  std::size_t values = 0;
  for (std::size_t feature = 0; feature < stored.size(); ++feature) {
    if (stored[feature] == 0) continue;
    number_[feature] = static_cast<std::uint32_t>(rows_.size());
    rows_.emplace_back().reserve(stored[feature]);
    starts_.push_back(values);
    values += stored[feature];
  }
  values_ = std::shared_ptr<std::byte[]>(new std::byte[values * size_of(scalar)]);
}

void SparseColumns::put(std::uint32_t row, std::size_t feature, double value) {
  const std::uint32_t number = number_[feature];
  const std::size_t place = starts_[number] + rows_[number].size();
  rows_[number].push_back(row);
  visit_scalar(scalar_, [&]<class T>(T) {
    const auto stored = static_cast<T>(value);
    std::memcpy(values_.get() + place * sizeof(T), &stored, sizeof(T));
  });
}

Column SparseColumns::take(std::size_t feature, std::string name) {
  if (feature >= features() || empty(feature))
    return Column::sparse_numeric(std::move(name), {}, {});
  const std::uint32_t number = number_[feature];
  Column column;
  column.schema.name = std::move(name);
  column.scalar = scalar_;
  column.stride = static_cast<std::ptrdiff_t>(size_of(scalar_));
  column.data = values_.get() + starts_[number] * size_of(scalar_);
  column.owner = values_;
  column.sparse = true;
  column.sparse_rows = std::make_shared<const std::vector<std::uint32_t>>(std::move(rows_[number]));
  return column;
}

void SparseRows::add(std::uint32_t feature, double value) {
  widen(std::size_t{feature} + 1);
  if (value == 0) return;
  if (open_features_.size() == kChunkEntries) close_chunk();
  open_features_.push_back(feature);
  open_values_.push_back(value);
  ++stored_[feature];
  ++count_;
}

void SparseRows::end_row() { counts_.push_back(std::exchange(count_, 0)); }

void SparseRows::widen(std::size_t features) {
  if (features > stored_.size()) stored_.resize(features);
}

void SparseRows::close_chunk() {
  if (open_features_.empty()) return;
  constexpr double kEntryBytes = sizeof(std::uint32_t) + sizeof(double);
  require_bytes("the values of sparse rows so far, and more of them,",
                kEntryBytes * static_cast<double>(open_features_.size()));
  NumberColumn numbers(open_values_);
  chunks_.push_back({std::exchange(open_features_, {}), numbers.take({})});
  open_values_.clear();
}

SparseColumns SparseRows::columns() {
  assert(count_ == 0);
  close_chunk();
  open_values_ = {};
  Scalar widest = Scalar::kUint8;
  for (const Chunk& chunk : chunks_)
    if (size_of(chunk.values.scalar) > size_of(widest)) widest = chunk.values.scalar;
  SparseColumns columns(stored_, widest);
  std::uint32_t row = 0;
  std::uint32_t left = counts_.size() == 0 ? 0 : counts_[0];  // entries of the row to come
  std::vector<double> values;
  for (Chunk& chunk : chunks_) {
    values.resize(chunk.features.size());
    chunk.values.copy(0, values.size(), values.data());
    for (std::size_t k = 0; k < values.size(); ++k) {
      while (left == 0) left = counts_[++row];
      --left;
      columns.put(row, chunk.features[k], values[k]);
    }
    chunk = {};
  }
  chunks_.clear();
  return columns;
}

}  // namespace simplexboost
