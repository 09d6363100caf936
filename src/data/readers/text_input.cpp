#include "data/readers/text_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "base/stop.h"
#include "base/threads/parallel.h"

namespace simplexboost {
namespace {

using namespace std::string_view_literals;

#ifdef SIMPLEXBOOST_FUZZ  // small inputs are cut as large files are
constexpr std::size_t kBlock = std::size_t{1} << 8;
#else
constexpr std::size_t kBlock = std::size_t{1} << 22;
#endif

class OpenFile {
 public:
  explicit OpenFile(int file) : file_(file) {}
  ~OpenFile() {
    if (file_ > STDIN_FILENO) ::close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int get() const { return file_; }

 private:
  int file_;
};

IoError system_error(const std::string& name, int code) {
  switch (code) {
    case ENOENT: return IoError(name + ": no such file; check the name and the folder", code);
    case EACCES:
      return IoError(name + ": no permission to read it; check its mode and owner", code);
    case EISDIR: return IoError(name + ": is a directory; name a file in it", code);
    default: return IoError(fmt::format("{}: cannot read it: {}", name, std::strerror(code)), code);
  }
}

int open_file(const std::string& path, const std::string& name) {
  if (path == "-") return STDIN_FILENO;
  if (path.find('\0') != std::string::npos) throw system_error(name, ENOENT);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw system_error(name, errno);
  return file;
}

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

}  // namespace

void TextInput::Buffer::reserve(std::size_t wanted) {
  if (wanted <= capacity) return;
  char* grown = static_cast<char*>(std::realloc(bytes.get(), wanted));
  if (grown == nullptr) throw std::bad_alloc();
  static_cast<void>(bytes.release());  // realloc has freed it
  bytes.reset(grown);
  capacity = wanted;
}

TextInput::Buffer TextInput::read_stream(int file, const std::string& name) {
  Buffer buffer;
  for (;;) {
    if (buffer.size == buffer.capacity) buffer.reserve(std::max(kBlock, 2 * buffer.capacity));
    const ssize_t got =
        ::read(file, buffer.bytes.get() + buffer.size, buffer.capacity - buffer.size);
    check_stop();
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(name, errno);
    if (got == 0) return buffer;
    buffer.size += static_cast<std::size_t>(got);
  }
}

// Reads rather than maps: a mapped file that shrinks under us would end the process.
TextInput::Buffer TextInput::read_file(int file, const std::string& name, int threads) {
  struct stat info {};
  if (::fstat(file, &info) != 0) throw system_error(name, errno);
  if (S_ISDIR(info.st_mode)) throw system_error(name, EISDIR);
  if (!S_ISREG(info.st_mode) || info.st_size == 0 || ::lseek(file, 0, SEEK_CUR) != 0)
    return read_stream(file, name);
  Buffer buffer;
  buffer.reserve(static_cast<std::size_t>(info.st_size));
  buffer.size = buffer.capacity;
  parallel_blocks(threads, buffer.size, kBlock, [&](std::size_t begin, std::size_t end) {
    while (begin < end) {
      const ssize_t got =
          ::pread(file, buffer.bytes.get() + begin, end - begin, static_cast<off_t>(begin));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw system_error(name, errno);
      if (got == 0) throw IoError(name + ": became shorter while it was read; try again");
      begin += static_cast<std::size_t>(got);
    }
  });
  return buffer;
}

TextInput::Buffer TextInput::unzip(const Buffer& zipped, const std::string& name) {
  z_stream stream{};
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  if (::inflateInit2(&stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, ::inflateEnd);
  Buffer out;
  const auto* const begin = reinterpret_cast<const Bytef*>(zipped.bytes.get());
  const Bytef* const end = begin + zipped.size;
  constexpr std::size_t kMost = std::size_t{1} << 24;  // at a time, a matter of milliseconds
  stream.next_in = const_cast<Bytef*>(begin);
  for (;;) {
    check_stop();
    if (out.size == out.capacity) out.reserve(std::max(4 * zipped.size + kBlock, 2 * out.capacity));
    const std::size_t room = std::min(out.capacity - out.size, kMost);
    stream.avail_in =
        static_cast<uInt>(std::min(static_cast<std::size_t>(end - stream.next_in), kMost));
    stream.next_out = reinterpret_cast<Bytef*>(out.bytes.get() + out.size);
    stream.avail_out = static_cast<uInt>(room);
    const int status = ::inflate(&stream, Z_NO_FLUSH);
    out.size += room - stream.avail_out;
    const auto left = static_cast<std::size_t>(end - stream.next_in);
    if (status == Z_STREAM_END) {
      const std::string_view rest(reinterpret_cast<const char*>(stream.next_in), left);
      if (rest.find_first_not_of('\0') == std::string_view::npos) return out;  // padding
      if (!is_gzip(rest))
        throw DataError({name}, "broken gzip file: other bytes follow its end; fetch it anew");
      ::inflateReset(&stream);  // gzip files may be joined
    } else if (status == Z_BUF_ERROR && left == 0) {
      throw DataError({name}, "broken gzip file: it ends too early; fetch it anew");
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw DataError({name}, fmt::format("broken gzip file at byte {} ({}); fetch it anew",
                                          stream.next_in - begin,
                                          stream.msg != nullptr ? stream.msg : "bad data"));
    }
  }
}

TextInput::TextInput(std::string name, Buffer buffer, int threads)
    : name_(std::move(name)), buffer_(std::move(buffer)) {
  if (is_gzip({buffer_.bytes.get(), buffer_.size})) buffer_ = unzip(buffer_, name_);
  begin_ = buffer_.bytes.get();
  end_ = begin_ + buffer_.size;
  if (text().starts_with("\xEF\xBB\xBF"sv)) begin_ += 3;
  check_text(threads);
}

void TextInput::check_text(int threads) const {
  for (const Magic& magic : kForeign)
    if (text().starts_with(magic.bytes)) throw DataError({name_}, std::string(magic.what));
  parallel_blocks(threads, text().size(), kBlock, [&](std::size_t begin, std::size_t end) {
    const void* const found = std::memchr(begin_ + begin, '\0', end - begin);
    if (found != nullptr)
      throw error(static_cast<const char*>(found),
                  "a NUL byte, where text is expected; is this a binary file?");
  });
}

TextInput TextInput::open(const std::string& path, int threads) {
  const std::string name = path == "-" ? "<stdin>" : path;
  const OpenFile file(open_file(path, name));
  return {name, read_file(file.get(), name, threads), threads};
}

TextInput TextInput::from_text(std::string name, std::string_view text) {
  Buffer buffer;
  buffer.reserve(text.size() + 1);
  std::copy(text.begin(), text.end(), buffer.bytes.get());
  buffer.size = text.size();
  return {std::move(name), std::move(buffer), 1};
}

Place TextInput::place(const char* at) const {
  Place place{name_, 1, 1};
  const char* line = begin_;
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
