#include "base/files/gzip_encoder.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <zlib.h>

#include <string>
#include <vector>

namespace simplexboost {
namespace {

std::string decode(const std::string& packed) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
  std::string input = packed;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  std::string result;
  std::vector<char> buffer(1 << 16);
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = inflate(&stream, Z_NO_FLUSH);
    result.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  EXPECT_EQ(status, Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0U);
  inflateEnd(&stream);
  return result;
}

std::string encode(const std::vector<std::string>& pieces) {
  std::string packed;
  GzipEncoder encoder([&](std::string_view bytes) { packed += bytes; });
  for (const std::string& piece : pieces) encoder.write(piece);
  encoder.finish();
  return packed;
}

RC_GTEST_PROP(GzipEncoder, DecodesToWhatWasWritten, (std::vector<std::string> pieces)) {
  std::string whole;
  for (const std::string& piece : pieces) whole += piece;
  RC_ASSERT(decode(encode(pieces)) == whole);
}

TEST(GzipEncoder, CompressesALongText) {
  std::string line;
  for (long i = 0; i < 300000; ++i) line += std::to_string(i * 7919) + ",";
  const std::string packed = encode({line, line});
  EXPECT_EQ(decode(packed), line + line);
  EXPECT_LT(packed.size(), line.size());
}

}  // namespace
}  // namespace simplexboost
