// The reader of Arrow streams. The input chooses a table, in all types, with offsets, nulls, chunks
// and dictionaries; the reader must give just that. Then one thing about it is made wrong, and the
// reader must say so or not look there. Buffers are as long as they must be and not a byte longer.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/arrow_stream.h"
#include "simplexboost/error.h"
#include "target.h"

namespace simplexboost::fuzz {
namespace {

using python::ArrowArray;
using python::ArrowArrayStream;
using python::ArrowColumn;
using python::ArrowSchema;
using python::ArrowTable;

constexpr std::array<const char*, 18> kFormats = {"c", "C", "s", "S", "i", "I",  "l",   "L",  "f",
                                                  "g", "b", "n", "u", "U", "vu", "tdD", "+l", "z"};
constexpr std::size_t kNumbers = 10;    // the first so many formats
constexpr std::size_t kIntegers = 8;    // of these
constexpr std::size_t kSupported = 15;  // and those that are not refused

// A cell as it must come out: a number or a text, or neither.
struct Cell {
  std::optional<double> number;
  std::optional<std::string> text;
};

// Owns all memory of a stream; each buffer is a block of its own, so that the sanitizer sees its
// end.
class Producer {
 public:
  explicit Producer(FuzzedDataProvider& in) : in_(in) {
    const int columns = in.ConsumeIntegralInRange(0, 3);
    const int chunks = in.ConsumeIntegralInRange(0, 3);
    expected_.resize(static_cast<std::size_t>(columns));
    root_ = &schemas_.emplace_back();
    *root_ = schema("+s");
    for (int c = 0; c < columns; ++c) {
      const char* format = in.PickValueInArray(kFormats);
      const bool dictionary = is_integer(format) && in.ConsumeBool();
      ArrowSchema& child = schemas_.emplace_back(schema(format));
      if (dictionary) {
        const auto kind = in.ConsumeIntegralInRange<std::size_t>(0, kSupported - 1);
        child.dictionary = &schemas_.emplace_back(schema(kFormats[kind]));
      }
      children_.push_back(&child);
    }
    root_->n_children = columns;
    root_->children = children_.data();
    for (int i = 0; i < chunks; ++i) add_chunk();
  }

  // One thing that must not be.
  void spoil() {
    if (chunks_.empty() || children_.empty()) return;
    ArrowArray& chunk = *chunks_[in_.ConsumeIntegralInRange<std::size_t>(0, chunks_.size() - 1)];
    ArrowArray& column =
        *chunk.children[in_.ConsumeIntegralInRange<std::size_t>(0, children_.size() - 1)];
    switch (in_.ConsumeIntegralInRange(0, 11)) {
      case 0: chunk.n_children = in_.ConsumeIntegralInRange<std::int64_t>(-1, 2); break;
      case 1: column.length = in_.ConsumeIntegral<std::int64_t>() % 4 - 2; break;
      case 2: column.offset = -in_.ConsumeIntegralInRange<std::int64_t>(1, INT64_MAX); break;
      case 3: column.n_buffers = in_.ConsumeIntegralInRange<std::int64_t>(-1, 1); break;
      case 4: column.buffers = nullptr; break;
      case 5:
        if (column.n_buffers > 1) column.buffers[1] = nullptr;
        break;
      case 6: chunk.length = -in_.ConsumeIntegralInRange<std::int64_t>(1, INT64_MAX); break;
      case 7: column.dictionary = nullptr; break;
      case 8: chunk.offset = in_.ConsumeBool() ? INT64_MAX : -1; break;
      case 9: spoil_views(column); break;
      case 10: children_[0]->format = nullptr; break;
      default: get_next_fails_ = true; break;
    }
    spoilt_ = true;
  }

  ArrowArrayStream stream() {
    ArrowArrayStream stream{};
    stream.private_data = this;
    stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
      auto* made = static_cast<Producer*>(self->private_data);
      *out = *made->root_;
      out->release = [](ArrowSchema* given) { given->release = nullptr; };
      return 0;
    };
    stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
      auto* made = static_cast<Producer*>(self->private_data);
      if (made->get_next_fails_ && made->next_ == 1) return 5;
      if (made->next_ == made->chunks_.size()) return 0;
      *out = *made->chunks_[made->next_++];
      ++made->held_;
      out->private_data = made;
      out->release = [](ArrowArray* given) {
        --static_cast<Producer*>(given->private_data)->held_;
        given->release = nullptr;
      };
      return 0;
    };
    stream.get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
    return stream;
  }

  void compare(const ArrowTable& table) const {
    require(table.columns.size() == expected_.size(), "columns are lost");
    for (std::size_t c = 0; c < expected_.size(); ++c) compare(table.columns[c], expected_[c]);
  }

  bool spoilt() const { return spoilt_; }
  bool refusable() const {
    for (const ArrowSchema* child : children_) {
      if (!is_supported(child->format)) return true;
      const char* entries = child->dictionary ? child->dictionary->format : "u";
      if (std::string_view(entries) == "b" || std::string_view(entries) == "n") return true;
    }
    return false;
  }
  int held() const { return held_; }

 private:
  static bool is_integer(std::string_view format) { return index_of(format) < kIntegers; }
  static bool is_number(std::string_view format) { return index_of(format) < kNumbers; }
  static bool is_supported(std::string_view format) { return index_of(format) < kSupported; }
  static bool is_text(std::string_view format) {
    return format == "u" || format == "U" || format == "vu";
  }
  static std::size_t index_of(std::string_view format) {
    std::size_t i = 0;
    while (kFormats[i] != format) ++i;
    return i;
  }

  static ArrowSchema schema(const char* format) {
    ArrowSchema made{};
    made.format = format;
    made.name = "x";
    return made;
  }

  // A block of exactly `size` bytes.
  char* block(std::size_t size) { return blocks_.emplace_back(new char[size]()).get(); }

  static void compare(const ArrowColumn& column, const std::vector<Cell>& cells) {
    std::vector<double> values(cells.size());
    if (!column.categorical && !cells.empty()) column.numbers.copy(0, cells.size(), values.data());
    require(!column.categorical || column.codes.size() == cells.size(), "rows are lost");
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (column.categorical) {
        const std::int32_t code = column.codes[i];
        require((code >= 0) == cells[i].text.has_value(), "a missing text");
        if (code >= 0)
          require(column.categories[static_cast<std::size_t>(code)] == *cells[i].text,
                  "another text");
      } else if (cells[i].number && !std::isnan(*cells[i].number)) {
        require(values[i] == *cells[i].number, "another number");
      } else {
        require(std::isnan(values[i]), "a number where none is");
      }
    }
  }

  void add_chunk() {
    const auto rows = in_.ConsumeIntegralInRange<std::int64_t>(0, 12);
    ArrowArray& chunk = arrays_.emplace_back();
    chunk = {};
    chunk.offset = in_.ConsumeIntegralInRange<std::int64_t>(0, 3);
    chunk.length = rows;
    auto& parts = parts_.emplace_back();
    for (std::size_t c = 0; c < children_.size(); ++c) {
      std::vector<Cell> cells;
      parts.push_back(&make_array(*children_[c], chunk.offset + rows, cells));
      expected_[c].insert(expected_[c].end(), cells.begin() + chunk.offset, cells.end());
    }
    chunk.n_children = static_cast<std::int64_t>(parts.size());
    chunk.children = parts.data();
    chunks_.push_back(&chunk);
  }

  // An array of `rows` cells behind an offset of its own, and what they are.
  ArrowArray& make_array(const ArrowSchema& type, std::int64_t rows, std::vector<Cell>& cells) {
    ArrowArray& array = arrays_.emplace_back();
    array = {};
    array.length = rows;
    array.offset = in_.ConsumeIntegralInRange<std::int64_t>(0, 3);
    const auto all = static_cast<std::size_t>(array.offset + rows);
    std::vector<Cell> made(all);
    auto& buffers = buffers_.emplace_back();
    char* valid = nullptr;
    if (in_.ConsumeBool()) {
      valid = block(all / 8 + 1);
      for (std::size_t i = 0; i < all / 8 + 1; ++i) valid[i] = in_.ConsumeIntegral<char>();
    }
    array.null_count = valid != nullptr ? -1 : 0;
    buffers.push_back(valid);
    const std::string_view format = type.format;
    if (type.dictionary) {
      fill_indices(type, array, buffers, made);
    } else if (is_text(format)) {
      fill_texts(format, buffers, made);
    } else if (is_number(format)) {
      fill_numbers(format, buffers, made);
    } else if (format == "b") {
      fill_bits(buffers, made);
    } else if (format == "n") {
      buffers.clear();
    } else {
      buffers.push_back(block(16 * all + 16));
    }
    for (std::size_t i = 0; valid != nullptr && i < all; ++i)
      if (((valid[i / 8] >> (i % 8)) & 1) == 0) made[i] = {};
    array.n_buffers = static_cast<std::int64_t>(buffers.size());
    array.buffers = buffers.data();
    cells.assign(made.begin() + array.offset, made.end());
    return array;
  }

  template <class T>
  void put_numbers(std::vector<const void*>& buffers, std::vector<Cell>& made) {
    char* memory = block(made.size() * sizeof(T));
    for (std::size_t i = 0; i < made.size(); ++i) {
      T value{};
      if constexpr (std::is_floating_point_v<T>)
        value = in_.ConsumeFloatingPoint<T>();
      else
        value = in_.ConsumeIntegral<T>();
      std::memcpy(memory + i * sizeof(T), &value, sizeof(T));
      made[i].number = static_cast<double>(value);
    }
    buffers.push_back(memory);
  }

  void fill_numbers(std::string_view format, std::vector<const void*>& buffers,
                    std::vector<Cell>& made) {
    switch (format[0]) {
      case 'c': return put_numbers<std::int8_t>(buffers, made);
      case 'C': return put_numbers<std::uint8_t>(buffers, made);
      case 's': return put_numbers<std::int16_t>(buffers, made);
      case 'S': return put_numbers<std::uint16_t>(buffers, made);
      case 'i': return put_numbers<std::int32_t>(buffers, made);
      case 'I': return put_numbers<std::uint32_t>(buffers, made);
      case 'l': return put_numbers<std::int64_t>(buffers, made);
      case 'L': return put_numbers<std::uint64_t>(buffers, made);
      case 'f': return put_numbers<float>(buffers, made);
      default: return put_numbers<double>(buffers, made);
    }
  }

  void fill_bits(std::vector<const void*>& buffers, std::vector<Cell>& made) {
    char* memory = block(made.size() / 8 + 1);
    for (std::size_t i = 0; i < made.size(); ++i) {
      const bool value = in_.ConsumeBool();
      memory[i / 8] = static_cast<char>(memory[i / 8] | (value ? 1 << (i % 8) : 0));
      made[i].number = value ? 1 : 0;
    }
    buffers.push_back(memory);
  }

  template <class Offset>
  void put_texts(std::vector<const void*>& buffers, std::vector<Cell>& made) {
    char* offsets = block((made.size() + 1) * sizeof(Offset));
    std::string all;
    for (std::size_t i = 0; i < made.size(); ++i) {
      made[i].text = in_.ConsumeRandomLengthString(20);
      all += *made[i].text;
      const auto end = static_cast<Offset>(all.size());
      std::memcpy(offsets + (i + 1) * sizeof(Offset), &end, sizeof end);
    }
    char* bytes = block(all.size());
    std::copy(all.begin(), all.end(), bytes);
    buffers.push_back(offsets);
    buffers.push_back(bytes);
  }

  void put_views(std::vector<const void*>& buffers, std::vector<Cell>& made) {
    char* views = block(made.size() * 16);
    std::string all;
    for (std::size_t i = 0; i < made.size(); ++i) {
      made[i].text = in_.ConsumeRandomLengthString(20);
      const std::string& text = *made[i].text;
      std::int32_t fields[4] = {static_cast<std::int32_t>(text.size()), 0, 0,
                                static_cast<std::int32_t>(all.size())};
      if (text.size() <= 12) {
        std::memcpy(fields + 1, text.data(), text.size());
      } else {
        std::memcpy(fields + 1, text.data(), 4);
        all += text;
      }
      std::memcpy(views + i * 16, fields, 16);
    }
    char* bytes = block(all.size());
    std::copy(all.begin(), all.end(), bytes);
    const auto size = static_cast<std::int64_t>(all.size());
    char* sizes = block(sizeof size);
    std::memcpy(sizes, &size, sizeof size);
    buffers.insert(buffers.end(), {views, bytes, sizes});
  }

  void fill_texts(std::string_view format, std::vector<const void*>& buffers,
                  std::vector<Cell>& made) {
    if (format == "u") return put_texts<std::int32_t>(buffers, made);
    if (format == "U") return put_texts<std::int64_t>(buffers, made);
    put_views(buffers, made);
  }

  // Indices into a dictionary of the chunk's own; a few may point outside.
  void fill_indices(const ArrowSchema& type, ArrowArray& array, std::vector<const void*>& buffers,
                    std::vector<Cell>& made) {
    std::vector<Cell> entries;
    array.dictionary =
        &make_array(*type.dictionary, in_.ConsumeIntegralInRange<std::int64_t>(1, 6), entries);
    fill_numbers(type.format, buffers, made);
    const std::size_t width = std::size_t{1} << index_of(type.format) / 2;
    auto* memory = static_cast<char*>(const_cast<void*>(buffers[1]));
    for (std::size_t i = 0; i < made.size(); ++i) {
      const auto index = in_.ConsumeIntegralInRange<std::uint64_t>(0, entries.size() - 1);
      std::memcpy(memory + i * width, &index, width);
      made[i] = {std::nullopt, entries[index].text};
      if (entries[index].number) made[i].text = "";  // written by the reader: not compared
    }
    if (is_number(type.dictionary->format)) uncompared_ = true;
  }

  void spoil_views(ArrowArray& column) {
    if (column.n_buffers != 4 || column.offset + column.length == 0) return;
    auto* fields = static_cast<std::int32_t*>(const_cast<void*>(column.buffers[1]));
    const auto count = static_cast<std::size_t>(column.offset + column.length) * 4;
    std::int32_t& field = fields[in_.ConsumeIntegralInRange<std::size_t>(0, count - 1)];
    // A little off is what a careless check lets pass.
    if (in_.ConsumeBool() && field > -1000 && field < 1000)
      field += in_.ConsumeIntegralInRange(-2, 2);
    else
      field = in_.ConsumeIntegral<std::int32_t>();
  }

 public:
  bool uncompared() const { return uncompared_; }

 private:
  FuzzedDataProvider& in_;
  std::deque<ArrowSchema> schemas_;
  std::deque<ArrowArray> arrays_;
  std::deque<std::vector<ArrowArray*>> parts_;
  std::deque<std::vector<const void*>> buffers_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  ArrowSchema* root_ = nullptr;
  std::vector<ArrowSchema*> children_;
  std::vector<ArrowArray*> chunks_;
  std::vector<std::vector<Cell>> expected_;
  std::size_t next_ = 0;
  int held_ = 0;
  bool get_next_fails_ = false;
  bool spoilt_ = false;
  bool uncompared_ = false;
};

void run(Bytes bytes) {
  FuzzedDataProvider in(bytes.data(), bytes.size());
  const bool spoil = in.ConsumeBool();
  Producer producer(in);
  if (spoil) producer.spoil();
  {
    ArrowArrayStream stream = producer.stream();
    try {
      const ArrowTable table = python::read_arrow_stream(
          stream, [](const std::function<void()>& release) { release(); });
      if (!producer.spoilt() && !producer.uncompared()) producer.compare(table);
    } catch (const Error&) {
      require(producer.spoilt() || producer.refusable(), "a sound stream is refused");
    }
  }
  require(producer.held() == 0, "chunks are not given back");
}

}  // namespace

const Target kArrowTarget = {"arrow", run, nullptr};

}  // namespace simplexboost::fuzz
