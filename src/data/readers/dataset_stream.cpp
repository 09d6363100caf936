#include "data/readers/dataset_stream.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/threads/parallel.h"
#include "data/readers/arff_reader.h"
#include "data/readers/csv_text.h"
#include "data/readers/libsvm_reader.h"
#include "data/readers/read_notes.h"
#include "data/readers/text_head.h"
#include "data/readers/text_input.h"

namespace simplexboost {
namespace {

constexpr int kIdleMilliseconds = 20;

bool is_line_end(char c) { return c == '\n' || c == '\r'; }

// Empty lines at the end of a file are left out, but not those within it.
std::size_t without_empty_lines(std::string_view text, std::size_t end) {
  std::size_t last = end;
  while (last > 0 && is_line_end(text[last - 1])) --last;
  return last == 0 ? 0 : std::min(end, text.find('\n', last) + 1);
}

}  // namespace

DatasetStream::DatasetStream(const std::string& path, const ReadOptions& options,
                             std::size_t block_bytes)
    : path_(path),
      name_(path == "-" ? "<stdin>" : path),
      options_(options),
      format_(text_format(path, options)),
      block_bytes_(block_bytes),
      file_(path, name_),
      source_(file_.get(), name_) {}

std::optional<Dataset> DatasetStream::next() {
  try {
    const std::size_t size = gather();
    if (size == 0 && !first_) return std::nullopt;
    Dataset data = read_block(size);
    drop(size);
    if (first_) put_head();
    first_ = false;
    return data;
  } catch (const std::bad_alloc&) {
    throw too_large(path_);
  }
}

ReadNotes DatasetStream::notes() const {
  ReadNotes notes = notes_;
  tell_unknown(notes);
  return notes;
}

// What is behind the head, and in no block yet.
std::string_view DatasetStream::pending() const {
  return std::string_view(buffer_).substr(head_, size_ - head_);
}

void DatasetStream::drop(std::size_t size) {
  const std::string_view gone = pending().substr(0, size);
  lines_ += count_byte(gone.data(), gone.data() + gone.size(), '\n');
  const std::string_view rest = pending().substr(size);
  std::memmove(buffer_.data() + head_, rest.data(), rest.size());
  size_ -= size;
}

void DatasetStream::put_head() {
  buffer_.insert(0, next_head_);
  head_ = next_head_.size();
  size_ += head_;
  next_head_ = {};
}

void DatasetStream::fill() {
  const std::size_t least = block_bytes_ / 8 + 1;
  const std::size_t room = std::max(least, block_bytes_ - std::min(block_bytes_, pending().size()));
  if (buffer_.size() < size_ + room) buffer_.resize(size_ + room);
  const std::size_t got = source_.read(buffer_.data() + size_, room);
  size_ += got;
  ended_ = got == 0;
}

std::size_t DatasetStream::gather() {
  std::size_t wanted = block_bytes_;
  for (;;) {
    while (!ended_ && pending().size() < wanted && source_.ready(0)) fill();
    if (ended_) break;
    const bool full = pending().size() >= wanted;
    if (!full && source_.ready(kIdleMilliseconds)) continue;
    const std::size_t size = whole_rows();
    if (size > 0 && has_rows(pending().substr(0, size))) return size;
    if (size > 0 && !first_) drop(size);  // comments
    // A row, or a header, that is longer than a block: read twice as much before the next look.
    if (full) wanted = std::max(wanted, 2 * pending().size());
    if (!full) fill();
  }
  return first_ || has_rows(pending()) ? pending().size() : 0;
}

std::size_t DatasetStream::whole_rows() const {
  const std::string_view text = pending();
  if (format_.format == FileFormat::kLibsvm) return text.rfind('\n') + 1;
  if (format_.format == FileFormat::kArff) {
    const std::size_t end = text.rfind('\n') + 1;
    return first_ && arff_header_size(text) == 0 ? 0 : end;
  }
  return without_empty_lines(text, record_ends(text).last);
}

// Whether there is more than a header and comments.
bool DatasetStream::has_rows(std::string_view text) const {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (first_ && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (format_.format == FileFormat::kCsv) {
    if (first_ && format_.header == CsvHeader::kNames) {
      const RecordEnds ends = record_ends(text);
      return ends.last > ends.first;
    }
    return std::any_of(text.begin(), text.end(), [](char c) { return !is_line_end(c); });
  }
  const bool arff = format_.format == FileFormat::kArff;
  if (first_ && arff) text.remove_prefix(arff_header_size(text));
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (arff ? begin != std::string_view::npos && line[begin] != '%' : !libsvm_row(line).empty())
      return true;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return false;
}

Dataset DatasetStream::read_block(std::size_t size) {
  const int threads = resolve_threads(options_.threads);
  const std::string_view text = std::string_view(buffer_).substr(0, head_ + size);
  ReadNotes notes;
  TextFormat format = format_;
  if (!first_ && format.header == CsvHeader::kNone) format.header = CsvHeader::kStandIn;
  const TextInput input = first_ ? TextInput::beginning(name_, text, threads)
                                 : TextInput::part(name_, text, head_, lines_, threads);
  Dataset data = read_text(input, format, options_, notes);
  merge_notes(std::move(notes), notes_);
  if (first_) next_head_ = text_head(input, format_);  // blocks that follow begin with it
  return data;
}

}  // namespace simplexboost
