// Writes the wire format of protocol buffers (https://protobuf.dev/programming-guides/encoding): a
// message is a string of fields, each a number, a wire type and a value. Enough to write ONNX.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace simplexboost {

class ProtoMessage {
 public:
  void number(std::uint32_t field, std::int64_t value) {
    varint(std::uint64_t{field} << 3U);
    varint(static_cast<std::uint64_t>(value));
  }
  void bytes(std::uint32_t field, std::string_view value) {
    varint(std::uint64_t{field} << 3U | 2U);
    varint(value.size());
    text_ += value;
  }
  void message(std::uint32_t field, const ProtoMessage& value) { bytes(field, value.text_); }
  // Repeated numbers, packed.
  void numbers(std::uint32_t field, std::span<const std::int64_t> values) {
    ProtoMessage packed;
    for (const std::int64_t value : values) packed.varint(static_cast<std::uint64_t>(value));
    message(field, packed);
  }

  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) text_ += static_cast<char>(value | 0x80U);
    text_ += static_cast<char>(value);
  }

  std::string text_;
};

}  // namespace simplexboost
