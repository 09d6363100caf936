// The safetensors format (https://huggingface.co/docs/safetensors): named arrays behind a JSON
// header, safe to load and readable by anyone. Nothing here knows what the arrays mean.
//
//   | 8 bytes: N, little-endian | N bytes: JSON header, padded with spaces | the arrays, no gaps |
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace simplexboost {

enum class Dtype : std::uint8_t {
  kBool,
  kU8,
  kI8,
  kF8E4M3,
  kF8E5M2,
  kU16,
  kI16,
  kF16,
  kBf16,
  kU32,
  kI32,
  kF32,
  kU64,
  kI64,
  kF64
};

std::string_view dtype_name(Dtype dtype);
std::size_t dtype_size(Dtype dtype);

// The dtype that holds values of type T.
template <class T>
constexpr Dtype dtype_of() {
  if constexpr (std::is_same_v<T, std::uint8_t>)
    return Dtype::kU8;
  else if constexpr (std::is_same_v<T, std::uint16_t>)
    return Dtype::kU16;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return Dtype::kU32;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return Dtype::kU64;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return Dtype::kI32;
  else if constexpr (std::is_same_v<T, float>)
    return Dtype::kF32;
  else {
    static_assert(std::is_same_v<T, double>);
    return Dtype::kF64;
  }
}

// A view: the bytes belong to someone else.
struct Tensor {
  Dtype dtype = Dtype::kU8;
  std::vector<std::uint64_t> shape;
  std::span<const std::byte> bytes;
};

struct TensorFile {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;
  bool has_checksum = false;  // of one that was read: of all its bytes
};

// Takes the next piece of a file.
using WriteBytes = std::function<void(std::span<const std::byte>)>;
// All pieces as one string.
std::string collect_bytes(const std::function<void(const WriteBytes&)>& produce);

// The bytes of a file. Widest numbers come first, so that each array is aligned without gaps; the
// metadata key "file_crc32" is added: eight hexadecimal digits over the whole file, in which zeros
// stand in their place.
void write_safetensors(const TensorFile& file, const WriteBytes& write);
std::string write_safetensors(const TensorFile& file);

// Views into `bytes`, every size and offset checked, and the checksum where there is one. Throws
// ModelError.
TensorFile parse_safetensors(std::span<const std::byte> bytes);

// Throws ModelError unless a file of `file_size` bytes that begins with these eight can be whole:
// tells a wrong file before all of it is read.
inline constexpr std::size_t kSafetensorsPrefix = 8;
std::uint64_t check_safetensors_prefix(std::span<const std::byte, kSafetensorsPrefix> prefix,
                                       std::uint64_t file_size);

}  // namespace simplexboost
