// Gzipped data: read like the text within, by another way to unzip it; a broken file is an error.
// Changes are made to the text and zipped anew, else the checksum would stop nearly all of them.
#include <zlib.h>

#include <cstring>
#include <optional>
#include <random>
#include <string>

#include "reading.h"
#include "target.h"

namespace simplexboost::fuzz {
namespace {

constexpr std::size_t kMostText = std::size_t{1} << 20;
constexpr std::string_view kMagic = "\x1F\x8B";

// All members one after the other; nothing where a gzip file is broken or its text too long.
std::optional<std::string> unzipped(std::string_view bytes) {
  std::string text;
  while (bytes.starts_with(kMagic)) {
    z_stream stream{};
    if (::inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) return std::nullopt;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    int status = Z_OK;
    while (status == Z_OK && text.size() <= kMostText) {
      char piece[4096];
      stream.next_out = reinterpret_cast<Bytef*>(piece);
      stream.avail_out = sizeof piece;
      status = ::inflate(&stream, Z_NO_FLUSH);
      text.append(piece, sizeof piece - stream.avail_out);
    }
    bytes.remove_prefix(bytes.size() - stream.avail_in);
    ::inflateEnd(&stream);
    if (status != Z_STREAM_END || text.size() > kMostText) return std::nullopt;
  }
  if (bytes.find_first_not_of('\0') != std::string_view::npos) return std::nullopt;
  return text;
}

std::string zipped(std::string_view text, int level, int strategy, bool named) {
  z_stream stream{};
  ::deflateInit2(&stream, level, Z_DEFLATED, 16 + MAX_WBITS, 8, strategy);
  gz_header header{};
  char name[] = "data.csv";
  header.name = reinterpret_cast<Bytef*>(name);
  header.hcrc = 1;
  if (named) ::deflateSetHeader(&stream, &header);
  std::string out(::deflateBound(&stream, static_cast<uLong>(text.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

void run(Bytes bytes) {
  if (!text_of(bytes).starts_with(kMagic)) return;
  static const ScratchFile file("input.csv");  // of both, because errors name it
  ReadOptions options;
  options.format = FileFormat::kCsv;
  options.threads = 1;
  file.write(bytes);
  const Reading reading = read(file.path(), options);
  const std::optional<std::string> text = unzipped(text_of(bytes));
  if (!text) {
    // Some of these are whole, but larger than is worth comparing.
    require(reading.data || !reading.error.empty(), "no word about a broken gzip file");
    return;
  }
  if (text->starts_with(kMagic)) return;  // zipped twice: once is undone
  file.write(*text);
  require_same(read(file.path(), options), reading);
}

std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t limit, unsigned seed) {
  std::minstd_rand draw(seed);
  const std::optional<std::string> text = unzipped({reinterpret_cast<const char*>(data), size});
  if (!text || draw() % 4 == 0) return LLVMFuzzerMutate(data, size, limit);
  std::string changed = *text;
  changed.resize(text->size() + 256);
  changed.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(changed.data()), text->size(),
                                  changed.size()));
  const auto piece = [&](std::string_view part) {
    return zipped(part, static_cast<int>(draw() % 10), static_cast<int>(draw() % 5),
                  draw() % 2 == 0);
  };
  const std::size_t cut = draw() % 3 == 0 ? draw() % (changed.size() + 1) : changed.size();
  std::string out = piece(std::string_view(changed).substr(0, cut));
  if (cut < changed.size()) out += piece(std::string_view(changed).substr(cut));
  if (draw() % 8 == 0) out.append(draw() % 16, '\0');
  // Cut off, it would be one more broken file.
  return out.size() <= limit ? put_back(out, data, limit) : LLVMFuzzerMutate(data, size, limit);
}

}  // namespace

const Target kGzipTarget = {"gzip", run, mutate};

}  // namespace simplexboost::fuzz
