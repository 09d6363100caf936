#include "cli/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace simplexboost::cli {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool locale_is_utf8() {
  // The first that is set decides, as in setlocale(3).
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = environment(name);
    if (value.empty()) continue;
    return value.find("UTF-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace

Terminal error_terminal() {
  const std::string type = environment("TERM");
  Terminal terminal;
  terminal.interactive = ::isatty(STDERR_FILENO) == 1 && !type.empty() && type != "dumb";
  terminal.utf8 = locale_is_utf8();
  terminal.color = terminal.interactive && environment("NO_COLOR").empty();
  return terminal;
}

std::size_t error_terminal_width() {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

}  // namespace simplexboost::cli
