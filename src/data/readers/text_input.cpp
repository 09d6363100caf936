#include "data/readers/text_input.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "base/memory.h"
#include "base/threads/parallel.h"
#include "data/readers/byte_source.h"

namespace simplexboost {
namespace {

using namespace std::string_view_literals;

#ifdef SIMPLEXBOOST_FUZZ  // small inputs are cut as large files are
constexpr std::size_t kBlock = std::size_t{1} << 8;
#else
constexpr std::size_t kBlock = std::size_t{1} << 22;
#endif

// Other kinds of files that people hand over, by their first bytes.
struct Magic {
  std::string_view bytes;
  std::string_view what;
};
constexpr std::array kForeign{
    Magic{"\xFD\x37zXZ\0"sv, "is compressed by xz; unpack it, or use gzip"},
    Magic{"BZh91AY&SY"sv, "is compressed by bzip2; unpack it, or use gzip"},
    Magic{"\x28\xB5\x2F\xFD"sv, "is compressed by zstd; unpack it, or use gzip"},
    Magic{"PK\x03\x04"sv, "is a zip archive or a spreadsheet; save the table as CSV"},
    Magic{"\xFF\xFE"sv, "is UTF-16 text; save it as UTF-8"},
    Magic{"\xFE\xFF"sv, "is UTF-16 text; save it as UTF-8"},
};

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B"sv); }

// Bytes of a file from `begin` on; returns their number, less than `size` at its end.
std::size_t read_at(int file, const std::string& name, std::size_t begin, char* to,
                    std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(file, to + done, size - done, static_cast<off_t>(begin + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_read_error(name, errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void require_text(const std::string& name, std::uint64_t bytes, std::uint64_t free) {
  if (bytes <= free) return;
  const auto rule = static_cast<double>(memory_rules().most);
  const std::string allowed = rule > 0 ? "; max-memory allows " + size_text(rule) : "";
  throw DataError({name}, fmt::format("its text of {} is larger than the memory that is free, {}{}",
                                      size_text(static_cast<double>(bytes)),
                                      size_text(static_cast<double>(free)), allowed));
}

// What the end of a gzip file says of the size of its text, which is that of the last of several
// files that were joined, and of no more than 4 GB. 0: it says nothing, or what cannot be.
std::uint64_t least_text(int file, std::uint64_t size) {
  constexpr std::uint64_t kMostPacked = 1032;  // of a byte
  std::array<unsigned char, 4> end{};
  const auto from = static_cast<off_t>(size - std::min<std::uint64_t>(size, end.size()));
  if (::pread(file, end.data(), end.size(), from) != static_cast<ssize_t>(end.size())) return 0;
  std::uint64_t said = 0;
  for (std::size_t i = 0; i < end.size(); ++i) said |= std::uint64_t{end[i]} << 8 * i;
  return said <= kMostPacked * size ? said : 0;
}

}  // namespace

void TextInput::Buffer::reserve(std::size_t wanted) {
  if (wanted <= capacity) return;
  char* grown = static_cast<char*>(std::realloc(bytes.get(), wanted));
  if (grown == nullptr) throw std::bad_alloc();
  static_cast<void>(bytes.release());  // realloc has freed it
  bytes.reset(grown);
  capacity = wanted;
}

// Looked at as it comes: what is no text, or more of it than there is memory, need not be read to
// its end.
TextInput::Buffer TextInput::read_stream(int file, const std::string& name) {
  ByteSource source(file, name);
  const std::uint64_t free = available_memory();
  Buffer buffer;
  for (;;) {
    if (buffer.size == buffer.capacity) buffer.reserve(std::max(kBlock, 2 * buffer.capacity));
    char* const piece = buffer.bytes.get() + buffer.size;
    const std::size_t got = source.read(piece, std::min(kBlock, buffer.capacity - buffer.size));
    if (got == 0) return buffer;
    buffer.size += got;
    if (std::memchr(piece, '\0', got) != nullptr) return buffer;  // check_text() says where
    require_text(name, buffer.size, free);
  }
}

// Reads rather than maps: a mapped file that shrinks under us would end the process.
TextInput::Buffer TextInput::read_file(int file, const std::string& name, int threads) {
  struct stat info {};
  if (::fstat(file, &info) != 0) throw_read_error(name, errno);
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (!S_ISREG(info.st_mode) || size == 0 || ::lseek(file, 0, SEEK_CUR) != 0)
    return read_stream(file, name);
  std::array<char, 2> first{};
  const bool zipped =
      read_at(file, name, 0, first.data(), first.size()) == 2 && is_gzip({first.data(), 2});
  require_text(name, zipped ? least_text(file, size) : size, available_memory());
  if (zipped) return read_stream(file, name);
  Buffer buffer;
  buffer.reserve(size);
  buffer.size = buffer.capacity;
  parallel_blocks(threads, buffer.size, kBlock, [&](std::size_t begin, std::size_t end) {
    const std::size_t count = end - begin;
    if (read_at(file, name, begin, buffer.bytes.get() + begin, count) < count)
      throw IoError(name + ": became shorter while it was read; try again");
  });
  return buffer;
}

TextInput::TextInput(std::string name, std::string_view text)
    : name_(std::move(name)), begin_(text.data()), end_(text.data() + text.size()) {}

TextInput::TextInput(std::string name, Buffer buffer, int threads)
    : name_(std::move(name)),
      buffer_(std::move(buffer)),
      begin_(buffer_.bytes.get()),
      end_(begin_ + buffer_.size) {
  skip_mark();
  check_text(threads);
}

void TextInput::skip_mark() {
  if (text().starts_with("\xEF\xBB\xBF"sv)) begin_ += 3;
}

void TextInput::check_text(int threads) const {
  for (const Magic& magic : kForeign)
    if (text().starts_with(magic.bytes)) throw DataError({name_}, std::string(magic.what));
  check_zeros(threads);
}

void TextInput::check_zeros(int threads) const {
  parallel_blocks(threads, text().size(), kBlock, [&](std::size_t begin, std::size_t end) {
    const void* const found = std::memchr(begin_ + begin, '\0', end - begin);
    if (found != nullptr)
      throw error(static_cast<const char*>(found),
                  "a NUL byte, where text is expected; is this a binary file?");
  });
}

TextInput TextInput::open(const std::string& path, int threads) {
  const std::string name = path == "-" ? "<stdin>" : path;
  const OpenFile file(path, name);
  return {name, read_file(file.get(), name, threads), threads};
}

TextInput TextInput::from_text(std::string name, std::string_view text) {
  Buffer buffer;
  buffer.reserve(text.size() + 1);
  std::copy(text.begin(), text.end(), buffer.bytes.get());
  buffer.size = text.size();
  return {std::move(name), std::move(buffer), 1};
}

TextInput TextInput::beginning(std::string name, std::string_view text, int threads) {
  TextInput input(std::move(name), text);
  input.skip_mark();
  input.check_text(threads);
  return input;
}

TextInput TextInput::part(std::string name, std::string_view text, std::size_t head,
                          std::size_t lines_before, int threads) {
  return joined(name, text, {{head, name, lines_before}}, threads);
}

TextInput TextInput::joined(std::string name, std::string_view text, std::vector<Piece> pieces,
                            int threads) {
  TextInput input(std::move(name), text);
  input.pieces_ = std::move(pieces);
  input.check_zeros(threads);
  return input;
}

Place TextInput::place(const char* at) const {
  Place place{name_, 1, 1};
  const char* line = begin_;
  for (const Piece& piece : pieces_) {
    if (at < begin_ + piece.begin) break;
    line = begin_ + piece.begin;
    place = {piece.name, piece.lines_before + 1, 1};
  }
  for (const char* next = line; next < at; ++place.line) {
    next = static_cast<const char*>(std::memchr(next, '\n', static_cast<std::size_t>(at - next)));
    if (next == nullptr) break;
    line = ++next;
  }
  // UTF-8: bytes 10xxxxxx continue a character.
  place.column += static_cast<std::size_t>(
      std::count_if(line, at, [](char c) { return (c & '\xC0') != '\x80'; }));
  return place;
}

}  // namespace simplexboost
