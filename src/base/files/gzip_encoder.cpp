#include "base/files/gzip_encoder.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <utility>

namespace simplexboost {

struct GzipEncoder::State {
  z_stream stream{};
  std::array<char, 1 << 16> buffer;
};

GzipEncoder::GzipEncoder(Output output)
    : output_(std::move(output)), state_(std::make_unique<State>()) {
  constexpr int kGzipHeader = 16;  // added to the window's bits: gzip instead of zlib
  constexpr int kMemoryLevel = 8;
  // With constant arguments it can only fail for want of memory.
  if (deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzipHeader,
                   kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
}

GzipEncoder::~GzipEncoder() { deflateEnd(&state_->stream); }

void GzipEncoder::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t size = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
    // zlib's interface is older than const; it does not write here.
    state_->stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    state_->stream.avail_in = static_cast<uInt>(size);
    run(Z_NO_FLUSH);
    bytes.remove_prefix(size);
  }
}

void GzipEncoder::finish() { run(Z_FINISH); }

// Until zlib leaves room in the buffer, which says that it has nothing more to give.
void GzipEncoder::run(int flush) {
  z_stream& stream = state_->stream;
  auto& buffer = state_->buffer;
  do {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    deflate(&stream, flush);
    const std::size_t made = buffer.size() - stream.avail_out;
    if (made > 0) output_(std::string_view(buffer.data(), made));
  } while (stream.avail_out == 0);
}

}  // namespace simplexboost
