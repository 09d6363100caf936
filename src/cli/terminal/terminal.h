// What the other end of standard error is: a person's terminal, how wide, with which characters.
#pragma once

#include <cstddef>
#include <string_view>

namespace simplexboost::cli {

struct Terminal {
  bool interactive = false;  // someone watches, and lines can be redrawn
  bool utf8 = false;
  bool color = false;  // not where NO_COLOR is set (no-color.org)
};

// Back to the beginning of the line, and nothing on it.
inline constexpr std::string_view kEraseLine = "\r\x1b[K";

Terminal error_terminal();

// Asked anew for every line: people resize windows.
std::size_t error_terminal_width();

// To standard error, whatever state it is in: what cannot be written is lost, and nothing else
// happens. Does not allocate.
void print_error_text(std::string_view text) noexcept;

// A line of `before` and the text. Other controls than the escapes of base/text/visible_text.h are
// shown as spaces.
void print_error_line(std::string_view before, std::string_view text) noexcept;

// Opens what is closed of standard input, output and error, so that no file that is opened later
// takes their place; reading or writing there still fails.
void reserve_standard_streams() noexcept;

}  // namespace simplexboost::cli
