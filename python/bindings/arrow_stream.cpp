#include "bindings/arrow_stream.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "simplexboost/error.h"

namespace simplexboost::python {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kMostRows = std::numeric_limits<std::uint32_t>::max();

// Released when the last user is gone.
template <class T>
std::shared_ptr<T> guarded(ReleaseGuard guard) {
  return {new T{}, [guard](T* held) {
            if (held->release) guard([held] { held->release(held); });
            delete held;
          }};
}

bool bit(const void* buffer, std::int64_t at) {
  const auto place = static_cast<std::size_t>(at);
  return ((static_cast<const std::uint8_t*>(buffer)[place / 8] >> (place % 8)) & 1) != 0;
}

template <class T>
T value_at(const void* buffer, std::int64_t at) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(buffer) + at * std::int64_t{sizeof(T)},
              sizeof value);
  return value;
}

// One column's part in one chunk: rows [first, first + length) of `array`.
struct Piece {
  const ArrowArray* array;
  std::int64_t first;
  std::int64_t length;
  std::shared_ptr<const void> owner;

  bool missing(std::int64_t row) const {
    return array->buffers[0] != nullptr && !bit(array->buffers[0], first + row);
  }
  bool has_missing() const {
    if (array->null_count == 0 || array->n_buffers == 0 || !array->buffers[0]) return false;
    for (std::int64_t i = 0; i < length; ++i)
      if (missing(i)) return true;
    return false;
  }
};

struct NumberKind {
  Scalar scalar;
  std::size_t size;
};

// By the format's letter; no value for what is not a number with a whole number of bytes.
std::optional<NumberKind> number_kind(std::string_view format) {
  if (format.size() != 1) return std::nullopt;
  switch (format[0]) {
    case 'c': return NumberKind{Scalar::kInt8, 1};
    case 'C': return NumberKind{Scalar::kUint8, 1};
    case 's': return NumberKind{Scalar::kInt16, 2};
    case 'S': return NumberKind{Scalar::kUint16, 2};
    case 'i': return NumberKind{Scalar::kInt32, 4};
    case 'I': return NumberKind{Scalar::kUint32, 4};
    case 'l': return NumberKind{Scalar::kInt64, 8};
    case 'L': return NumberKind{Scalar::kUint64, 8};
    case 'f': return NumberKind{Scalar::kFloat32, 4};
    case 'g': return NumberKind{Scalar::kFloat64, 8};
    default: return std::nullopt;
  }
}

Column number_view(const Piece& piece, NumberKind kind) {
  Column column;
  column.scalar = kind.scalar;
  column.stride = static_cast<std::ptrdiff_t>(kind.size);
  column.data =
      static_cast<const std::byte*>(piece.array->buffers[1]) + piece.first * column.stride;
  column.owner = piece.owner;
  return column;
}

// Copies, for columns with nulls or in several chunks.
Column copied_numbers(const std::vector<Piece>& pieces, NumberKind kind) {
  std::vector<double> values;
  for (const Piece& piece : pieces) {
    const std::size_t begin = values.size();
    values.resize(begin + static_cast<std::size_t>(piece.length));
    number_view(piece, kind).copy(0, static_cast<std::size_t>(piece.length), values.data() + begin);
    if (!piece.has_missing()) continue;
    for (std::int64_t i = 0; i < piece.length; ++i)
      if (piece.missing(i)) values[begin + static_cast<std::size_t>(i)] = kMissing;
  }
  return Column::numeric({}, std::move(values));
}

// Booleans stand in bits; a column of nulls has no buffer at all.
Column copied_bits(const std::vector<Piece>& pieces, bool all_missing) {
  std::vector<double> values;
  for (const Piece& piece : pieces)
    for (std::int64_t i = 0; i < piece.length; ++i)
      values.push_back(all_missing || piece.missing(i)                 ? kMissing
                       : bit(piece.array->buffers[1], piece.first + i) ? 1.0
                                                                       : 0.0);
  return Column::numeric({}, std::move(values));
}

bool is_text(std::string_view format) { return format == "u" || format == "U" || format == "vu"; }

std::string name_of(const ArrowSchema& schema) { return schema.name ? schema.name : ""; }

[[noreturn]] void refuse(const ArrowSchema& schema) {
  throw DataError(
      fmt::format("column '{}' has the Arrow type '{}'; give numbers, booleans, strings or "
                  "dictionaries of strings",
                  name_of(schema), schema.format));
}

[[noreturn]] void broken(const ArrowSchema& schema, std::string_view what) {
  throw DataError(fmt::format("column '{}' of the Arrow stream {}", name_of(schema), what));
}

// The bytes between two entries of a table of offsets.
template <class Offset>
std::string_view text_between(const ArrowSchema& schema, const ArrowArray& array, std::int64_t at) {
  const auto begin = std::int64_t{value_at<Offset>(array.buffers[1], at)};
  const auto end = std::int64_t{value_at<Offset>(array.buffers[1], at + 1)};
  if (begin < 0 || end < begin) broken(schema, "has offsets that do not ascend");
  if (begin == end) return {};
  if (!array.buffers[2]) broken(schema, "lacks a buffer");
  return {static_cast<const char*>(array.buffers[2]) + begin,
          static_cast<std::size_t>(end - begin)};
}

// A view: the length, then up to 12 bytes in place, or a prefix, a buffer and an offset. The last
// buffer of the array has the sizes of those that views may point into.
std::string_view viewed_text(const ArrowSchema& schema, const ArrowArray& array, std::int64_t at) {
  constexpr std::int32_t kInPlace = 12;
  const char* view = static_cast<const char*>(array.buffers[1]) + at * 16;
  std::int32_t fields[4];
  std::memcpy(fields, view, sizeof fields);
  const auto [length, prefix, buffer, offset] = fields;
  if (length < 0) broken(schema, "has a text of negative length");
  if (length <= kInPlace) return {view + 4, static_cast<std::size_t>(length)};
  const std::int64_t last = array.n_buffers - 1;
  if (buffer < 0 || buffer >= last - 2 || !array.buffers[last] || !array.buffers[2 + buffer])
    broken(schema, "points to a buffer that is not there");
  const auto size = value_at<std::int64_t>(array.buffers[last], buffer);
  if (offset < 0 || offset > size || length > size - offset)
    broken(schema, "points outside a buffer");
  return {static_cast<const char*>(array.buffers[2 + buffer]) + offset,
          static_cast<std::size_t>(length)};
}

std::string_view text_at(const ArrowSchema& schema, const ArrowArray& array,
                         std::string_view format, std::int64_t at) {
  if (format == "u") return text_between<std::int32_t>(schema, array, at);
  if (format == "U") return text_between<std::int64_t>(schema, array, at);
  return viewed_text(schema, array, at);
}

// What must hold before a value is looked at; `rows` of the array are used, from `first`.
void check_array(const ArrowSchema& schema, std::string_view format, const ArrowArray& array,
                 std::int64_t first, std::int64_t rows) {
  const std::int64_t buffers = format == "n" ? 0 : is_text(format) ? 3 : 2;
  if (array.offset < 0 || array.length < 0 || first < 0 || rows < 0 || rows > kMostRows ||
      array.length > std::numeric_limits<std::int64_t>::max() / 32 - array.offset ||
      first > array.offset + array.length || rows > array.offset + array.length - first)
    broken(schema, fmt::format("has {} rows, where {} are needed", array.length, rows));
  if (array.n_buffers < buffers || (buffers > 0 && !array.buffers) ||
      (buffers > 0 && rows > 0 && !array.buffers[1]))
    broken(schema, "lacks a buffer");
}

// Texts by the order in which they were first met.
class Interner {
 public:
  std::int32_t code(std::string_view text) {
    const auto [entry, added] =
        codes_.try_emplace(std::string(text), static_cast<std::int32_t>(names_.size()));
    if (added) names_.emplace_back(text);
    return entry->second;
  }
  std::vector<std::string> take_names() { return std::move(names_); }

 private:
  std::unordered_map<std::string, std::int32_t> codes_;
  std::vector<std::string> names_;
};

// The code of every entry of a chunk's dictionary.
std::vector<std::int32_t> dictionary_codes(const ArrowSchema& schema, const ArrowArray& dictionary,
                                           Interner& interner) {
  const std::string_view format = schema.dictionary->format;
  const std::optional<NumberKind> kind = number_kind(format);
  if (!is_text(format) && !kind) refuse(schema);
  check_array(schema, format, dictionary, dictionary.offset, dictionary.length);
  const Piece piece{&dictionary, dictionary.offset, dictionary.length, nullptr};
  std::vector<std::int32_t> codes;
  for (std::int64_t i = 0; i < dictionary.length; ++i) {
    double number = 0;
    if (piece.missing(i)) {
      codes.push_back(-1);
    } else if (kind) {
      const auto row = static_cast<std::size_t>(i);
      number_view(piece, *kind).copy(row, row + 1, &number);
      codes.push_back(interner.code(fmt::format("{}", number)));
    } else {
      codes.push_back(interner.code(text_at(schema, dictionary, format, dictionary.offset + i)));
    }
  }
  return codes;
}

std::vector<std::int32_t> category_codes(const ArrowSchema& schema, const Piece& piece,
                                         Interner& interner) {
  std::vector<std::int32_t> codes(static_cast<std::size_t>(piece.length), -1);
  if (!schema.dictionary) {
    for (std::int64_t i = 0; i < piece.length; ++i)
      if (!piece.missing(i))
        codes[static_cast<std::size_t>(i)] =
            interner.code(text_at(schema, *piece.array, schema.format, piece.first + i));
    return codes;
  }
  const std::optional<NumberKind> kind = number_kind(schema.format);
  if (!kind) refuse(schema);
  if (!piece.array->dictionary || !schema.dictionary->format)
    broken(schema, "lacks its dictionary");
  const std::vector<std::int32_t> entries =
      dictionary_codes(schema, *piece.array->dictionary, interner);
  std::vector<double> indices(codes.size());
  number_view(piece, *kind).copy(0, indices.size(), indices.data());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (piece.missing(static_cast<std::int64_t>(i))) continue;
    if (!(indices[i] >= 0 && indices[i] < static_cast<double>(entries.size())))
      broken(schema, "points outside its dictionary");
    codes[i] = entries[static_cast<std::size_t>(indices[i])];
  }
  return codes;
}

ArrowColumn read_column(const ArrowSchema& schema, const std::vector<Piece>& pieces) {
  ArrowColumn result;
  result.name = name_of(schema);
  const std::string_view format = schema.format;
  const std::optional<NumberKind> kind = number_kind(format);
  const bool bits = format == "b" || format == "n";
  if (!kind && !bits && !is_text(format)) refuse(schema);
  for (const Piece& piece : pieces)
    check_array(schema, format, *piece.array, piece.first, piece.length);
  if (schema.dictionary || is_text(format)) {
    result.categorical = true;
    Interner interner;
    for (const Piece& piece : pieces) {
      const std::vector<std::int32_t> part = category_codes(schema, piece, interner);
      result.codes.insert(result.codes.end(), part.begin(), part.end());
    }
    result.categories = interner.take_names();
  } else if (bits) {
    result.numbers = copied_bits(pieces, format == "n");
  } else {
    const bool in_place = pieces.size() == 1 && !pieces[0].has_missing();
    result.numbers = in_place ? number_view(pieces[0], *kind) : copied_numbers(pieces, *kind);
  }
  return result;
}

void check(int status, ArrowArrayStream& stream) {
  if (status == 0) return;
  const char* why = stream.get_last_error(&stream);
  throw DataError(fmt::format("the Arrow stream failed: {}", why ? why : "no reason given"));
}

// The column's part in each chunk.
std::vector<Piece> pieces_of(const ArrowSchema& schema, std::int64_t column,
                             const std::vector<std::shared_ptr<ArrowArray>>& chunks) {
  std::vector<Piece> pieces;
  for (const std::shared_ptr<ArrowArray>& chunk : chunks) {
    const ArrowArray* array = column < chunk->n_children ? chunk->children[column] : nullptr;
    std::int64_t first = 0;
    if (!array || __builtin_add_overflow(chunk->offset, array->offset, &first))
      broken(schema, "is not in all chunks");
    pieces.push_back({array, first, chunk->length, chunk});
  }
  return pieces;
}

}  // namespace

ArrowTable read_arrow_stream(ArrowArrayStream& stream, ReleaseGuard guard) {
  const auto schema = guarded<ArrowSchema>(guard);
  check(stream.get_schema(&stream, schema.get()), stream);
  if (!schema->format || std::string_view(schema->format) != "+s")
    throw DataError("the Arrow stream has no columns");
  std::vector<std::shared_ptr<ArrowArray>> chunks;
  std::int64_t rows = 0;
  for (;;) {
    auto chunk = guarded<ArrowArray>(guard);
    check(stream.get_next(&stream, chunk.get()), stream);
    if (!chunk->release) break;
    if (chunk->length < 0 || chunk->length > kMostRows - rows)
      throw DataError(
          fmt::format("the Arrow stream has a chunk of {} rows; at most {} rows are "
                      "possible",
                      chunk->length, kMostRows));
    rows += chunk->length;
    if (chunk->length > 0) chunks.push_back(std::move(chunk));
  }
  ArrowTable table;
  table.rows = static_cast<std::size_t>(rows);
  for (std::int64_t j = 0; j < schema->n_children; ++j) {
    const ArrowSchema* column = schema->children[j];
    if (!column || !column->format) throw DataError("the Arrow stream has a column of no type");
    table.columns.push_back(read_column(*column, pieces_of(*column, j, chunks)));
  }
  return table;
}

}  // namespace simplexboost::python
