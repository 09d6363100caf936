// Text from outside, names in a data file or a model for instance, as it may be shown to people: in
// one line, and without anything that a terminal would obey.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace simplexboost {

// Control characters, marks that reverse the direction of writing, and bytes that are no UTF-8 are
// written as escapes: \n, \x1b, \u{202e}. All else stays as it is, so ordinary text costs no copy
// of its own.
std::string visible_text(std::string text);
// The same, but line breaks stay.
std::string visible_lines(std::string_view text);
// The same of the beginning, up to so many bytes, with "..." where something is cut off.
std::string short_text(std::string_view text, std::size_t most);

bool is_utf8(std::string_view text);

// How many bytes the first character takes; 0 where it is no UTF-8. The text must not be empty.
std::size_t first_character_bytes(std::string_view text);

}  // namespace simplexboost
