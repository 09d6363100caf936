#include "base/sha256.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <vector>

namespace simplexboost {
namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (4.2.2).
constexpr std::array<std::uint32_t, 64> kRoundConstants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::size_t kChunk = 64;
using HashState = std::array<std::uint32_t, 8>;

// 6.2.2: one block of 64 bytes.
void add_chunk(const std::byte* bytes, HashState& state) {
  std::array<std::uint32_t, 64> words{};
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t b = 0; b < 4; ++b)
      words[i] = words[i] << 8 | std::to_integer<std::uint32_t>(bytes[4 * i + b]);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t x = words[i - 15];
    const std::uint32_t y = words[i - 2];
    words[i] = words[i - 16] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ x >> 3) + words[i - 7] +
               (std::rotr(y, 17) ^ std::rotr(y, 19) ^ y >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                              ((e & f) ^ (~e & g)) + kRoundConstants[i] + words[i];
    const std::uint32_t two =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + one;
    d = c;
    c = b;
    b = a;
    a = one + two;
  }
  const HashState add{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += add[i];
}

}  // namespace

Sha256 sha256(std::span<const std::byte> bytes) {
  HashState state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const std::size_t whole = bytes.size() / kChunk * kChunk;
  for (std::size_t i = 0; i < whole; i += kChunk) add_chunk(bytes.data() + i, state);
  // 5.1.1: a bit 1, zeros, and the length in bits.
  std::array<std::byte, 2 * kChunk> end{};
  const std::size_t rest = bytes.size() - whole;
  if (rest > 0) std::memcpy(end.data(), bytes.data() + whole, rest);
  end[rest] = std::byte{0x80};
  const std::size_t size = rest + 9 <= kChunk ? kChunk : 2 * kChunk;
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (std::size_t i = 0; i < 8; ++i)
    end[size - 1 - i] = static_cast<std::byte>(bits >> (8 * i) & 0xffU);
  for (std::size_t i = 0; i < size; i += kChunk) add_chunk(end.data() + i, state);
  Sha256 hash{};
  for (std::size_t i = 0; i < hash.size(); ++i)
    hash[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)) & 0xffU);
  return hash;
}

Sha256 sha256(std::string_view text) {
  return sha256(std::as_bytes(std::span(text.data(), text.size())));
}

std::string hex_text(const Sha256& hash) {
  std::string out;
  for (const std::uint8_t byte : hash) out += fmt::format("{:02x}", byte);
  return out;
}

std::string base64_text(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t b = 0; b < 3; ++b) bits = bits << 8 | (b < count ? bytes[i + b] : 0U);
    for (std::size_t d = 0; d < 4; ++d)
      out += d <= count ? kDigits[bits >> (18 - 6 * d) & 63U] : '=';
  }
  return out;
}

}  // namespace simplexboost
