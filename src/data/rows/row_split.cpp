#include "data/rows/row_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <memory>

#include "base/random.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::uint64_t kSplitStream = 0x5350'4c49'54;  // "SPLIT": apart from what training draws

std::vector<std::vector<std::uint32_t>> rows_by_class(const Labels& labels, std::size_t rows) {
  const bool stratify = !labels.multi_label() && !labels.empty();
  std::vector<std::vector<std::uint32_t>> groups(stratify ? labels.classes.size() : 1);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t group = stratify ? static_cast<std::size_t>(labels.codes[i]) : 0;
    assert(group < groups.size());
    groups[group].push_back(static_cast<std::uint32_t>(i));
  }
  return groups;
}

Column slice_sparse(const Column& column, std::size_t begin, std::size_t end) {
  const std::vector<std::uint32_t>& rows = *column.sparse_rows;
  const auto first = std::lower_bound(rows.begin(), rows.end(), begin);
  const auto last = std::lower_bound(first, rows.end(), end);
  std::vector<std::uint32_t> kept(first, last);
  for (std::uint32_t& row : kept) row -= static_cast<std::uint32_t>(begin);
  Column slice = column;
  slice.data += (first - rows.begin()) * column.stride;
  slice.sparse_rows = std::make_shared<const std::vector<std::uint32_t>>(std::move(kept));
  return slice;
}

Column slice_dense(const Column& column, std::size_t begin) {
  Column slice = column;
  if (column.rows) {
    slice.rows = {column.rows, column.rows.get() + begin};
  } else {
    slice.data += static_cast<std::ptrdiff_t>(begin) * column.stride;
  }
  return slice;
}

}  // namespace

RowSplit stratified_split(const Labels& labels, std::size_t rows, double fraction,
                          std::uint64_t seed) {
  Random random(seed, kSplitStream);
  RowSplit split;
  std::size_t seen = 0;
  for (std::vector<std::uint32_t>& group : rows_by_class(labels, rows)) {
    if (group.empty()) continue;
    // Shares are rounded along the running sum, so that many small classes still give their part.
    const auto wanted_before = std::llround(fraction * static_cast<double>(seen));
    seen += group.size();
    const auto wanted = std::llround(fraction * static_cast<double>(seen)) - wanted_before;
    const std::size_t count = std::min(static_cast<std::size_t>(wanted), group.size() - 1);
    random.shuffle(group);
    const auto middle = group.begin() + static_cast<std::ptrdiff_t>(count);
    split.valid.insert(split.valid.end(), group.begin(), middle);
    split.train.insert(split.train.end(), middle, group.end());
  }
  std::sort(split.train.begin(), split.train.end());
  std::sort(split.valid.begin(), split.valid.end());
  return split;
}

Dataset slice_features(const Dataset& data, std::size_t begin, std::size_t end) {
  assert(begin <= end && end <= data.rows);
  Dataset slice;
  slice.source = data.source;
  slice.named = data.named;
  slice.rows = end - begin;
  for (const Column& column : data.columns) {
    if (column.sparse) {
      slice.columns.push_back(slice_sparse(column, begin, end));
    } else {
      slice.columns.push_back(slice_dense(column, begin));
    }
  }
  return slice;
}

}  // namespace simplexboost

namespace simplexboost::inline SIMPLEXBOOST_ABI {

DatasetSplit split_rows(const Dataset& data, double fraction, std::uint64_t seed) {
  // Written so that NaN fails.
  if (!(fraction > 0 && fraction < 1))
    throw ParameterError(
        fmt::format("a share of {} cannot be set aside; give one between 0 and 1", fraction));
  const RowSplit split = stratified_split(data.labels, data.rows, fraction, seed);
  if (split.valid.empty())
    throw DataError({data.source}, fmt::format("{} rows are too few to set a share of {} aside",
                                               data.rows, fraction));
  return {select_rows(data, split.train), select_rows(data, split.valid)};
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
