#include "data/readers/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "base/stop.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using namespace std::string_view_literals;

#ifdef SIMPLEXBOOST_FUZZ  // small inputs come in pieces as large files do
constexpr std::size_t kRawBytes = std::size_t{1} << 6;
#else
constexpr std::size_t kRawBytes = std::size_t{1} << 20;
#endif
constexpr std::string_view kGzipMagic = "\x1F\x8B"sv;

}  // namespace

void throw_read_error(const std::string& name, int code) {
  switch (code) {
    case ENOENT: throw IoError(name + ": no such file; check the name and the folder", code);
    case EACCES: throw IoError(name + ": no permission to read it; check its mode and owner", code);
    case EISDIR: throw IoError(name + ": is a directory; name a file in it", code);
    default: throw IoError(fmt::format("{}: cannot read it: {}", name, std::strerror(code)), code);
  }
}

OpenFile::OpenFile(const std::string& path, const std::string& name) {
  if (path == "-") return;
  if (path.find('\0') != std::string::npos) throw_read_error(name, ENOENT);
  // A named pipe waits here for the program that writes into it.
  for (;;) {
    check_stop();
    file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ >= 0) return;
    if (errno != EINTR) throw_read_error(name, errno);
  }
}

OpenFile::~OpenFile() {
  if (file_ > STDIN_FILENO) ::close(file_);
}

struct ByteSource::Inflater {
  z_stream stream{};
  bool between = false;  // a member has ended, and none has begun

  Inflater() {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (::inflateInit2(&stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { ::inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

ByteSource::ByteSource(int file, std::string name) : file_(file), name_(std::move(name)) {
  struct stat info {};
  if (::fstat(file_, &info) != 0) throw_read_error(name_, errno);
  if (S_ISDIR(info.st_mode)) throw_read_error(name_, EISDIR);
}

ByteSource::~ByteSource() = default;

// More raw bytes behind those that are left.
void ByteSource::fill() {
  raw_.erase(0, begin_);
  handed_ += std::exchange(begin_, 0);
  const std::size_t before = raw_.size();
  raw_.resize(before + kRawBytes);
  ssize_t got = 0;
  for (;;) {
    got = ::read(file_, raw_.data() + before, kRawBytes);
    check_stop();
    if (got >= 0) break;
    if (errno != EINTR) throw_read_error(name_, errno);
  }
  raw_.resize(before + static_cast<std::size_t>(got));
  ended_ = got == 0;
}

std::size_t ByteSource::read(char* out, std::size_t room) {
  while (!known_) {
    fill();
    known_ = ended_ || raw_.size() >= kGzipMagic.size();
    if (known_ && raw_.starts_with(kGzipMagic)) inflater_ = std::make_unique<Inflater>();
  }
  if (inflater_) return inflate(out, room);
  if (begin_ < raw_.size()) {
    const std::size_t count = std::min(room, raw_.size() - begin_);
    std::memcpy(out, raw_.data() + begin_, count);
    begin_ += count;
    return count;
  }
  while (!ended_) {
    const ssize_t got = ::read(file_, out, room);
    check_stop();
    if (got > 0) return static_cast<std::size_t>(got);
    if (got < 0 && errno != EINTR) throw_read_error(name_, errno);
    ended_ = got == 0;
  }
  return 0;
}

// Gzip files may be joined, and padded with zeros. True if another member begins.
bool ByteSource::next_member() {
  for (;;) {
    while (begin_ < raw_.size() && raw_[begin_] == '\0') ++begin_;
    const std::string_view rest = std::string_view(raw_).substr(begin_);
    if (rest.size() >= kGzipMagic.size() || (ended_ && !rest.empty())) {
      if (!rest.starts_with(kGzipMagic))
        throw DataError({name_}, "broken gzip file: other bytes follow its end; fetch it anew");
      ::inflateReset(&inflater_->stream);
      inflater_->between = false;
      return true;
    }
    if (ended_) return false;
    fill();
  }
}

std::size_t ByteSource::inflate(char* out, std::size_t room) {
  constexpr std::size_t kMost = std::size_t{1} << 24;  // at a time, a matter of milliseconds
  z_stream& stream = inflater_->stream;
  for (;;) {
    check_stop();
    if (inflater_->between && !next_member()) return 0;
    if (begin_ == raw_.size() && !ended_) fill();
    const auto given = static_cast<uInt>(std::min(room, kMost));
    stream.next_in = reinterpret_cast<Bytef*>(raw_.data() + begin_);
    stream.avail_in = static_cast<uInt>(raw_.size() - begin_);
    stream.next_out = reinterpret_cast<Bytef*>(out);
    stream.avail_out = given;
    const int status = ::inflate(&stream, Z_NO_FLUSH);
    begin_ = raw_.size() - stream.avail_in;
    const std::size_t made = given - stream.avail_out;
    if (status == Z_STREAM_END) {
      inflater_->between = true;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw DataError(
          {name_}, fmt::format("broken gzip file at byte {} ({}); fetch it anew", handed_ + begin_,
                               stream.msg != nullptr ? stream.msg : "bad data"));
    }
    if (made > 0) return made;
    if (!inflater_->between && ended_ && begin_ == raw_.size())
      throw DataError({name_}, "broken gzip file: it ends too early; fetch it anew");
  }
}

bool ByteSource::ready(int milliseconds) const {
  if (ended_ || begin_ < raw_.size()) return true;
  pollfd wanted{file_, POLLIN, 0};
  return ::poll(&wanted, 1, milliseconds) != 0;
}

}  // namespace simplexboost
