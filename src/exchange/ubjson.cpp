#include "exchange/ubjson.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <optional>

#include "base/memory.h"

namespace simplexboost {
namespace {

constexpr std::size_t kDeepestValue = 64;

class UbjsonReader {
 public:
  explicit UbjsonReader(std::string_view bytes) : bytes_(bytes) {}

  Json whole() {
    Json result = value(take(), 0);
    if (at_ != bytes_.size()) fail();
    return result;
  }

 private:
  [[noreturn]] void fail() const {
    throw JsonError(fmt::format("no valid UBJSON at byte {}", at_ + 1), at_ + 1);
  }

  char peek() const {
    if (at_ == bytes_.size()) fail();
    return bytes_[at_];
  }
  char take() {
    const char c = peek();
    ++at_;
    return c;
  }

  // Big-endian.
  template <class Unsigned>
  Unsigned bits() {
    if (bytes_.size() - at_ < sizeof(Unsigned)) fail();
    Unsigned result = 0;
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i)
      result = static_cast<Unsigned>(result << 8U | static_cast<unsigned char>(bytes_[at_ + i]));
    at_ += sizeof(Unsigned);
    return result;
  }

  static std::size_t payload(char type) {
    switch (type) {
      case 'i':
      case 'U': return 1;
      case 'I': return 2;
      case 'l':
      case 'd': return 4;
      case 'L':
      case 'D': return 8;
      default: return 0;
    }
  }

  std::size_t length() {
    const char type = take();
    std::int64_t result = -1;
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, no letter
    if (type == 'i') result = static_cast<std::int8_t>(bits<std::uint8_t>());
    if (type == 'U') result = bits<std::uint8_t>();
    if (type == 'I') result = static_cast<std::int16_t>(bits<std::uint16_t>());
    if (type == 'l') result = static_cast<std::int32_t>(bits<std::uint32_t>());
    if (type == 'L') result = static_cast<std::int64_t>(bits<std::uint64_t>());
    // Whatever is counted takes a byte at least.
    if (result < 0 || static_cast<std::uint64_t>(result) > bytes_.size() - at_) fail();
    return static_cast<std::size_t>(result);
  }

  std::string text() {
    const std::size_t size = length();
    const std::string_view found = bytes_.substr(at_, size);
    at_ += size;
    return std::string(found);
  }

  Json value(char type, std::size_t depth) {
    if (depth > kDeepestValue) fail();
    switch (type) {
      case 'Z': return nullptr;
      case 'T': return true;
      case 'F': return false;
      case 'i': return static_cast<std::int8_t>(bits<std::uint8_t>());
      case 'U': return bits<std::uint8_t>();
      case 'I': return static_cast<std::int16_t>(bits<std::uint16_t>());
      case 'l': return static_cast<std::int32_t>(bits<std::uint32_t>());
      case 'L': return static_cast<std::int64_t>(bits<std::uint64_t>());
      case 'd': return std::bit_cast<float>(bits<std::uint32_t>());
      case 'D': return std::bit_cast<double>(bits<std::uint64_t>());
      case 'S': return text();
      case '[': return array(depth);
      case '{': return object(depth);
      default: --at_; fail();
    }
  }

  Json array(std::size_t depth) {
    Json::Array items;
    if (peek() == '$') return typed_array();
    if (peek() == '#') {
      ++at_;
      const std::size_t count = length();
      for (std::size_t i = 0; i < count; ++i) items.push_back(value(take(), depth + 1));
      return items;
    }
    while (peek() != ']') items.push_back(value(take(), depth + 1));
    ++at_;
    return items;
  }

  // Numbers of one kind side by side.
  Json typed_array() {
    ++at_;
    const char type = take();
    const std::size_t size = payload(type);
    if (size == 0 || take() != '#') fail();
    const std::size_t count = length();
    if (count > (bytes_.size() - at_) / size) fail();
    require_memory("an array of UBJSON", count, 1, sizeof(Json));
    Json::Array items;
    items.reserve(count);
    for (std::size_t i = 0; i < count; ++i) items.push_back(value(type, 0));
    return items;
  }

  Json object(std::size_t depth) {
    Json::Object members;
    std::optional<std::size_t> count;
    if (peek() == '#') {
      ++at_;
      count = length();
    }
    while (count ? members.size() < *count : peek() != '}') {
      std::string key = text();
      Json found = value(take(), depth + 1);
      members.emplace_back(std::move(key), std::move(found));
    }
    if (!count) ++at_;
    return members;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace

Json parse_ubjson(std::string_view bytes) { return UbjsonReader(bytes).whole(); }

}  // namespace simplexboost
