// What the text of one cell means: a number, a missing value, or text. The same rule holds in every
// format, so that a value means the same wherever it stands.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace simplexboost {

// kInfinite and kOutOfRange read as numbers, but no double can stand for them.
enum class CellKind : std::uint8_t { kNumber, kMissing, kText, kInfinite, kOutOfRange };

struct CellValue {
  CellKind kind = CellKind::kMissing;
  double number = 0;  // NaN if missing
};

CellValue read_cell(std::string_view text);

bool is_missing(std::string_view text);
bool is_number(std::string_view text);
std::string_view trim_blanks(std::string_view text);
std::string to_lower(std::string_view text);

// 'text' for a message, visible (base/text/visible_text.h) and cut if it is long.
std::string quote(std::string_view text);

// Reads digits with at most one point, the common case, exactly and several times faster than
// from_chars. Returns the end, or nullptr if the number needs the general method (or is none).
inline const char* read_plain_decimal(const char* at, const char* end, double& value) {
  constexpr std::array kPowers{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                               1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
  const bool negative = at < end && *at == '-';
  at += negative ? 1 : 0;
  std::uint64_t digits = 0;
  const char* const first = at;
  const char* point = nullptr;
  for (; at < end; ++at) {
    const auto digit = static_cast<unsigned char>(*at - '0');
    if (digit <= 9) {
      digits = digits * 10 + digit;
    } else if (*at == '.' && point == nullptr) {
      point = at;
    } else {
      break;
    }
  }
  const std::ptrdiff_t length = at - first - (point != nullptr ? 1 : 0);
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  if (length < 1 || length > 18 || digits > kExact) return nullptr;
  // Both operands are exact, so the quotient is the nearest double (Clinger 1990).
  const std::ptrdiff_t decimals = point != nullptr ? at - point - 1 : 0;
  value = static_cast<double>(digits) / kPowers[static_cast<std::size_t>(decimals)];
  if (negative) value = -value;
  return at;
}

// Reads a finite number at the beginning of a text. Returns its end, or nullptr if there is none,
// or none that needs no closer look.
inline const char* read_decimal(const char* at, const char* end, double& value) {
  const char* const plain = read_plain_decimal(at, end, value);
  if (plain != nullptr && (plain == end || (*plain != 'e' && *plain != 'E'))) return plain;
  const auto [stop, status] = std::from_chars(at, end, value);
  return status == std::errc() && std::isfinite(value) ? stop : nullptr;
}

}  // namespace simplexboost
