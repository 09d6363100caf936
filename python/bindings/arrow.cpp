#include "bindings/arrow.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simplexboost/error.h"

namespace simplexboost::python {
namespace {

// The structures of the interface, as its specification has them.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Released when the last user is gone; the producer may be Python, so its lock is held then.
template <class T>
std::shared_ptr<T> hold() {
  return {new T{}, [](T* held) {
            const nb::gil_scoped_acquire lock;
            if (held->release) held->release(held);
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

std::string_view text_at(const ArrowArray& array, std::string_view format, std::int64_t at) {
  const auto between = [&](std::int64_t begin, std::int64_t end) {
    return std::string_view(static_cast<const char*>(array.buffers[2]) + begin,
                            static_cast<std::size_t>(end - begin));
  };
  if (format == "u")
    return between(value_at<std::int32_t>(array.buffers[1], at),
                   value_at<std::int32_t>(array.buffers[1], at + 1));
  if (format == "U")
    return between(value_at<std::int64_t>(array.buffers[1], at),
                   value_at<std::int64_t>(array.buffers[1], at + 1));
  // A view: the length, then up to 12 bytes in place, or a prefix, a buffer and an offset.
  constexpr std::size_t kInPlace = 12;
  const char* view = static_cast<const char*>(array.buffers[1]) + at * 16;
  std::int32_t fields[4];
  std::memcpy(fields, view, sizeof fields);
  const auto length = static_cast<std::size_t>(fields[0]);
  if (length <= kInPlace) return {view + 4, length};
  return {static_cast<const char*>(array.buffers[2 + fields[2]]) + fields[3], length};
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
  const Names& names() const { return names_; }

 private:
  std::unordered_map<std::string, std::int32_t> codes_;
  Names names_;
};

[[noreturn]] void refuse(const ArrowSchema& schema) {
  throw DataError(
      fmt::format("column '{}' has the Arrow type '{}'; give numbers, booleans, strings or "
                  "dictionaries of strings",
                  schema.name ? schema.name : "", schema.format));
}

// The code of every entry of a chunk's dictionary.
std::vector<std::int32_t> dictionary_codes(const ArrowSchema& schema, const ArrowArray& dictionary,
                                           Interner& interner) {
  const std::string_view format = schema.dictionary->format;
  const std::optional<NumberKind> kind = number_kind(format);
  if (!is_text(format) && !kind) refuse(schema);
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
      codes.push_back(interner.code(text_at(dictionary, format, dictionary.offset + i)));
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
            interner.code(text_at(*piece.array, schema.format, piece.first + i));
    return codes;
  }
  const std::optional<NumberKind> kind = number_kind(schema.format);
  if (!kind) refuse(schema);
  const std::vector<std::int32_t> entries =
      dictionary_codes(schema, *piece.array->dictionary, interner);
  std::vector<double> indices(codes.size());
  number_view(piece, *kind).copy(0, indices.size(), indices.data());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (piece.missing(static_cast<std::int64_t>(i))) continue;
    if (!(indices[i] >= 0 && indices[i] < static_cast<double>(entries.size())))
      throw DataError(fmt::format("column '{}' points outside its dictionary", schema.name));
    codes[i] = entries[static_cast<std::size_t>(indices[i])];
  }
  return codes;
}

void add_column(Table& table, const ArrowSchema& schema, const std::vector<Piece>& pieces) {
  const std::string name = schema.name ? schema.name : "";
  const std::string_view format = schema.format;
  if (schema.dictionary || is_text(format)) {
    Interner interner;
    std::vector<std::int32_t> codes;
    for (const Piece& piece : pieces) {
      const std::vector<std::int32_t> part = category_codes(schema, piece, interner);
      codes.insert(codes.end(), part.begin(), part.end());
    }
    table.add_categories(std::move(codes), interner.names(), name);
    return;
  }
  Column column;
  if (const std::optional<NumberKind> kind = number_kind(format)) {
    const bool in_place = pieces.size() == 1 && !pieces[0].has_missing();
    column = in_place ? number_view(pieces[0], *kind) : copied_numbers(pieces, *kind);
  } else if (format == "b" || format == "n") {
    column = copied_bits(pieces, format == "n");
  } else {
    refuse(schema);
  }
  column.schema.name = name;
  table.add_column(std::move(column));
}

void check(int status, ArrowArrayStream& stream) {
  if (status == 0) return;
  const char* why = stream.get_last_error(&stream);
  throw DataError(fmt::format("the Arrow stream failed: {}", why ? why : "no reason given"));
}

}  // namespace

Table read_arrow(const nb::capsule& capsule, const Model* model, const Table* like) {
  auto* stream =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (!stream) throw nb::python_error();
  if (!stream->release) throw DataError("the Arrow stream has been read already");
  const auto schema = hold<ArrowSchema>();
  check(stream->get_schema(stream, schema.get()), *stream);
  if (std::string_view(schema->format) != "+s") throw DataError("the Arrow stream has no columns");
  std::vector<std::shared_ptr<ArrowArray>> chunks;
  std::int64_t rows = 0;
  for (;;) {
    auto chunk = hold<ArrowArray>();
    check(stream->get_next(stream, chunk.get()), *stream);
    if (!chunk->release) break;
    rows += chunk->length;
    if (chunk->length > 0) chunks.push_back(std::move(chunk));
  }
  const auto count = static_cast<std::size_t>(rows);
  Table table = like ? Table(count, true, *like) : Table(count, true, model);
  for (std::int64_t j = 0; j < schema->n_children; ++j) {
    std::vector<Piece> pieces;
    for (const std::shared_ptr<ArrowArray>& chunk : chunks) {
      const ArrowArray* column = chunk->children[j];
      pieces.push_back({column, chunk->offset + column->offset, chunk->length, chunk});
    }
    add_column(table, *schema->children[j], pieces);
  }
  return table;
}

}  // namespace simplexboost::python
