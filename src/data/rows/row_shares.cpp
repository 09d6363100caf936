#include "data/rows/row_shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <span>
#include <utility>

#include "base/byte_stream.h"
#include "base/first_rank.h"
#include "base/row_space.h"
#include "data/device_memory.h"
#include "data/readers/table/number_column.h"
#include "data/rows/row_split.h"
#include "data/rows/stored_values.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// The values of a column as they are stored, one after the other; of a sparse one as doubles.
std::vector<std::byte> packed(const Column& column, Scalar as, std::size_t rows) {
  if (memory_of(column)) return packed(brought_here(column, 0, rows), as, rows);
  std::vector<std::byte> bytes(rows * size_of(as));
  if (!column.sparse && column.scalar == as) {
    for (std::size_t i = 0; i < rows; ++i)
      std::memcpy(bytes.data() + i * size_of(as), column.place(i), size_of(as));
    return bytes;
  }
  assert(as == Scalar::kFloat64);
  std::vector<double> values(rows);
  column.copy(0, rows, values.data());
  if (rows > 0) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

Scalar packed_scalar(const Column& column) {
  return column.sparse ? Scalar::kFloat64 : column.scalar;
}

Column unpacked(const FeatureSchema& schema, Scalar scalar, std::vector<std::byte> bytes) {
  Column column;
  column.schema = schema;
  column.scalar = scalar;
  column.stride = static_cast<std::ptrdiff_t>(size_of(scalar));
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  column.data = owner->data();
  column.owner = owner;
  return column;
}

// Zeros stay unwritten.
Column join_sparse(const Column& first, std::size_t first_rows, const Column& second,
                   std::size_t second_rows) {
  std::vector<std::uint32_t> rows = *first.sparse_rows;
  std::vector<double> values(rows.size());
  copy_stored(first, 0, rows.size(), values.data());
  for_each_value(second, second_rows, [&](std::size_t row, double value) {
    if (value == 0) return;
    rows.push_back(static_cast<std::uint32_t>(first_rows + row));
    values.push_back(value);
  });
  return Column::sparse_numeric(first.schema.name, std::move(rows), std::move(values));
}

// Of one type of number where both are, else as doubles, which is how all of them are read.
Column join_column(const Column& first, std::size_t first_rows, const Column& second,
                   std::size_t second_rows) {
  if (first_rows == 0) return second;
  if (first.sparse) return join_sparse(first, first_rows, second, second_rows);
  const bool alike = first.scalar == packed_scalar(second);
  const bool codes = first.schema.type == FeatureType::kCategorical;
  assert(alike || !codes);
  const Scalar scalar = alike || codes ? first.scalar : Scalar::kFloat64;
  std::vector<std::byte> bytes = packed(first, scalar, first_rows);
  const std::vector<std::byte> more = packed(second, scalar, second_rows);
  bytes.insert(bytes.end(), more.begin(), more.end());
  return unpacked(first.schema, scalar, std::move(bytes));
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// What a sparse column stores.
template <class Bytes>
void carry_stored(Bytes& bytes, Column& column) {
  std::vector<std::uint32_t> rows;
  std::vector<double> values;
  if constexpr (std::is_same_v<Bytes, ByteWriter>) {
    rows = *column.sparse_rows;
    values.resize(rows.size());
    copy_stored(column, 0, values.size(), values.data());
  }
  bytes(rows)(values);
  if constexpr (std::is_same_v<Bytes, ByteReader>)
    column = Column::sparse_numeric(column.schema.name, std::move(rows), std::move(values));
}

// Some rows for another rank.
template <class Bytes>
void carry_rows(Bytes& bytes, Dataset& rows) {
  std::uint64_t count = rows.rows;
  bytes(count);
  rows.rows = count;
  for (Column& column : rows.columns) {
    bool sparse = column.sparse;
    bytes(sparse);
    if (sparse) {
      carry_stored(bytes, column);
      continue;
    }
    Scalar scalar = packed_scalar(column);
    std::vector<std::byte> values;
    if constexpr (std::is_same_v<Bytes, ByteWriter>) values = packed(column, scalar, count);
    bytes(scalar)(values);
    if constexpr (std::is_same_v<Bytes, ByteReader>)
      column = unpacked(column.schema, scalar, std::move(values));
  }
  bytes(rows.labels.codes)(rows.labels.offsets)(rows.labels.weights)(rows.weights);
}

// Rows [begin, end), which share the features with the whole.
Dataset rows_between(const Dataset& data, std::size_t begin, std::size_t end) {
  Dataset part = slice_features(data, begin, end);
  const Labels& labels = data.labels;
  part.labels.classes = labels.classes;
  part.labels.columns = labels.columns;
  const auto copy = [](const auto& from, std::size_t first, std::size_t last, auto& to) {
    to.assign(from.begin() + static_cast<std::ptrdiff_t>(first),
              from.begin() + static_cast<std::ptrdiff_t>(last));
  };
  if (!data.weights.empty()) copy(data.weights, begin, end, part.weights);
  const std::size_t classes = labels.classes.size();
  if (!labels.weights.empty())
    copy(labels.weights, begin * classes, end * classes, part.labels.weights);
  if (!labels.multi_label()) {
    copy(labels.codes, begin, end, part.labels.codes);
    return part;
  }
  copy(labels.codes, labels.offsets[begin], labels.offsets[end], part.labels.codes);
  copy(labels.offsets, begin, end + 1, part.labels.offsets);
  for (std::size_t& offset : part.labels.offsets) offset -= labels.offsets[begin];
  return part;
}

std::vector<std::byte> bytes_of(const Dataset& share) {
  ByteWriter writer;
  Dataset mine = rows_between(share, 0, share.rows);
  carry_rows(writer, mine);
  return writer.bytes();
}

// What all ranks wrote, in their order; `like` has their schema.
Dataset join_shares(const Dataset& like, int ranks, std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  std::vector<Dataset> parts(static_cast<std::size_t>(ranks), rows_between(like, 0, 0));
  for (Dataset& part : parts) carry_rows(reader, part);
  // Neighbours first, so that no row is copied as often as there are ranks.
  while (parts.size() > 1) {
    std::vector<Dataset> pairs;
    for (std::size_t i = 0; i < parts.size(); i += 2)
      pairs.push_back(i + 1 < parts.size() ? join_rows(parts[i], parts[i + 1]) : parts[i]);
    parts = std::move(pairs);
  }
  return std::move(parts[0]);
}

// Which rows a rank gives away, and to whom.
struct Move {
  std::size_t rows = 0;  // the first so many
  int to = 0;
};

std::vector<Move> plan_moves(const std::vector<std::uint64_t>& shares) {
  constexpr std::size_t kUnit = RowSpace::kShareRows;
  std::vector<Move> moves(shares.size());
  std::size_t first = 0;
  int owner = 0;  // of the first row of the block that `first` is in
  for (std::size_t r = 0; r < shares.size(); ++r) {
    const std::size_t begun = first % kUnit;
    const std::size_t missing = begun == 0 ? 0 : kUnit - begun;
    moves[r] = {std::min<std::size_t>(shares[r], missing), owner};
    if (shares[r] > missing) owner = static_cast<int>(r);
    first += shares[r];
  }
  return moves;
}

}  // namespace

SharePlace place_of_share(std::size_t rows, Communicator& ranks) {
  const auto mine = static_cast<std::uint64_t>(rows);
  const std::vector<std::uint64_t> counts = gather_values<std::uint64_t>(ranks, {&mine, 1});
  SharePlace place;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (r == static_cast<std::size_t>(ranks.rank())) place.first = place.all;
    place.all += counts[r];
  }
  return place;
}

Dataset join_rows(const Dataset& first, const Dataset& second) {
  Dataset all = first;
  all.rows += second.rows;
  for (std::size_t j = 0; j < all.columns.size(); ++j)
    all.columns[j] = join_column(first.columns[j], first.rows, second.columns[j], second.rows);
  const std::size_t before = first.labels.codes.size();
  append(all.labels.codes, second.labels.codes);
  append(all.labels.weights, second.labels.weights);
  append(all.weights, second.weights);
  for (std::size_t i = 1; i < second.labels.offsets.size(); ++i)
    all.labels.offsets.push_back(before + second.labels.offsets[i]);
  return all;
}

Dataset gather_rows(const Dataset& share, Communicator& ranks) {
  if (ranks.size() == 1) return share;
  return join_shares(share, ranks.size(), ranks.gather(bytes_of(share)));
}

Dataset bring_rows_to_first(const Dataset& share, Communicator& ranks) {
  const std::vector<std::byte> bytes =
      bring_to_first(ranks, std::span<const std::byte>(bytes_of(share)));
  return ranks.rank() == 0 ? join_shares(share, ranks.size(), bytes) : rows_between(share, 0, 0);
}

Labels gather_labels(const Labels& share, Communicator& ranks) {
  Labels all = share;
  all.codes = gather_values<std::int32_t>(ranks, share.codes);
  all.weights = gather_values<float>(ranks, share.weights);
  if (!share.multi_label()) return all;
  std::vector<std::uint32_t> counts;
  for (std::size_t i = 1; i < share.offsets.size(); ++i)
    counts.push_back(static_cast<std::uint32_t>(share.offsets[i] - share.offsets[i - 1]));
  all.offsets.assign(1, 0);
  for (const std::uint32_t count : gather_values<std::uint32_t>(ranks, counts))
    all.offsets.push_back(all.offsets.back() + count);
  return all;
}

DatasetSplit split_share(const Dataset& share, double fraction, std::uint64_t seed,
                         Communicator& ranks) {
  Labels all = share.labels;
  if (!all.multi_label()) all.codes = gather_values<std::int32_t>(ranks, share.labels.codes);
  const auto [first, total] = place_of_share(share.rows, ranks);
  if (total > std::numeric_limits<std::uint32_t>::max())
    throw DataError({share.source},
                    "too many rows to set some aside; give those for validation as a file");
  const RowSplit split = stratified_split(all, total, fraction, seed);
  if (split.valid.empty())
    throw DataError({share.source},
                    fmt::format("{} rows are too few to set a share of {} aside", total, fraction));
  const auto here = [&share, first = first](const std::vector<std::uint32_t>& chosen) {
    std::vector<std::uint32_t> mine;
    for (const std::uint32_t row : chosen)
      if (row >= first && row < first + share.rows)
        mine.push_back(row - static_cast<std::uint32_t>(first));
    return select_rows(share, mine);
  };
  return {here(split.train), here(split.valid)};
}

Dataset align_rows(const Dataset& share, Communicator& ranks) {
  const auto rows = static_cast<std::uint64_t>(share.rows);
  const std::vector<Move> moves = plan_moves(gather_values<std::uint64_t>(ranks, {&rows, 1}));
  const auto me = static_cast<std::size_t>(ranks.rank());
  Dataset more = rows_between(share, 0, 0);
  for (std::size_t r = 0; r < moves.size(); ++r) {
    if (moves[r].rows == 0) continue;
    std::vector<std::byte> bytes;
    if (r == me) {
      ByteWriter writer;
      Dataset given = rows_between(share, 0, moves[r].rows);
      carry_rows(writer, given);
      bytes = writer.bytes();
    }
    broadcast_all(ranks, bytes, static_cast<int>(r));
    if (moves[r].to != ranks.rank()) continue;
    ByteReader reader(bytes);
    Dataset taken = rows_between(share, 0, 0);
    carry_rows(reader, taken);
    more = join_rows(more, taken);
  }
  const Dataset kept =
      moves[me].rows == 0 ? share : rows_between(share, moves[me].rows, share.rows);
  return more.rows == 0 ? kept : join_rows(kept, more);
}

}  // namespace simplexboost
