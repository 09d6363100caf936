// What the other end of standard error is: a person's terminal, how wide, with which characters.
#pragma once

#include <cstddef>

namespace simplexboost::cli {

struct Terminal {
  bool interactive = false;  // someone watches, and lines can be redrawn
  bool utf8 = false;
  bool color = false;  // not where NO_COLOR is set (no-color.org)
};

Terminal error_terminal();

// Asked anew for every line: people resize windows.
std::size_t error_terminal_width();

}  // namespace simplexboost::cli
