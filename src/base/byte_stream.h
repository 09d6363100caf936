// Bytes for other ranks: plain values, strings and vectors of either. A type lists its members
// once, in carry(bytes), and the same list writes them (ByteWriter) and reads them (ByteReader).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "simplexboost/error.h"

namespace simplexboost {

class ByteWriter {
 public:
  template <class T>
  ByteWriter& operator()(const T& value) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      append(std::as_bytes(std::span(&value, 1)));
    } else {
      (*this)(static_cast<std::uint64_t>(value.size()));
      if constexpr (std::is_trivially_copyable_v<typename T::value_type>) {
        append(std::as_bytes(std::span(value.data(), value.size())));
      } else {
        for (const auto& item : value) (*this)(item);
      }
    }
    return *this;
  }

  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  void append(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }

  std::vector<std::byte> bytes_;
};

// Throws CommunicationError where the bytes end too early.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <class T>
  ByteReader& operator()(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t byte = 0;
      (*this)(byte);
      if (byte > 1) fail();  // any other byte is no bool
      value = byte == 1;
    } else if constexpr (std::is_trivially_copyable_v<T>) {
      take(std::as_writable_bytes(std::span(&value, 1)));
    } else {
      using Item = typename T::value_type;
      constexpr bool kPlain = std::is_trivially_copyable_v<Item>;
      std::uint64_t size = 0;
      (*this)(size);
      if (size > left_.size() / (kPlain ? sizeof(Item) : 1)) fail();
      value.resize(size);
      if constexpr (kPlain) {
        take(std::as_writable_bytes(std::span(value.data(), size)));
      } else {
        for (Item& item : value) (*this)(item);
      }
    }
    return *this;
  }

 private:
  [[noreturn]] static void fail() {
    throw CommunicationError("a message of another rank ends too early; do all run one version?");
  }
  void take(std::span<std::byte> to) {
    if (to.size() > left_.size()) fail();
    if (!to.empty()) std::memcpy(to.data(), left_.data(), to.size());
    left_ = left_.subspan(to.size());
  }

  std::span<const std::byte> left_;
};

}  // namespace simplexboost
