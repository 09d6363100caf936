#include "base/text/visible_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace simplexboost {
namespace {

struct Character {
  std::uint32_t code;
  std::size_t bytes;  // 0: no UTF-8
};

// Of the text's first character, as RFC 3629 has it: shortest forms only, no surrogates.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {lead, 0};
  std::uint32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {lead, 0};
    code = code << 6U | (byte(i) & 0x3fU);
  }
  const bool shortest = bytes == 2 || code >= (bytes == 3 ? 0x800U : 0x10000U);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (!shortest || surrogate || code > 0x10ffff) return {lead, 0};
  return {code, bytes};
}

bool disturbs(std::uint32_t code) {
  const auto within = [&](std::uint32_t low, std::uint32_t high) {
    return code >= low && code <= high;
  };
  return code < 0x20 || within(0x7f, 0x9f)                     // controls, C0 and C1
         || code == 0x61c || within(0x200e, 0x200f)            // marks of direction
         || within(0x2028, 0x202e) || within(0x2066, 0x2069);  // separators, overrides, isolates
}

void append_escape(const Character& character, std::string& out) {
  switch (character.code) {
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default:
      out += character.code < 0x100 ? fmt::format("\\x{:02x}", character.code)
                                    : fmt::format("\\u{{{:x}}}", character.code);
  }
}

bool plain(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

}  // namespace

std::string visible_text(std::string text) {
  if (plain(text)) return text;
  std::string out;
  for (std::string_view left = text; !left.empty();) {
    const Character character = first_character(left);
    const std::size_t bytes = std::max<std::size_t>(1, character.bytes);
    if (character.bytes == 0 || disturbs(character.code)) {
      append_escape(character, out);
    } else {
      out += left.substr(0, bytes);
    }
    left.remove_prefix(bytes);
  }
  return out;
}

std::string visible_lines(std::string_view text) {
  std::string out;
  for (;;) {
    const std::size_t end = text.find('\n');
    out += visible_text(std::string(text.substr(0, end)));
    if (end == std::string_view::npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string short_text(std::string_view text, std::size_t most) {
  if (text.size() <= most) return visible_text(std::string(text));
  std::size_t end = most;
  // Not within a character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) --end;
  return visible_text(std::string(text.substr(0, end))) + "...";
}

std::size_t first_character_bytes(std::string_view text) { return first_character(text).bytes; }

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = first_character_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

}  // namespace simplexboost
