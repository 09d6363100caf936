#include "cli/terminal/terminal.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
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

// While it lives, writing to a pipe that nobody reads is an error and not the end of the process.
class PipeSignalBlock {
 public:
  PipeSignalBlock() noexcept {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~PipeSignalBlock() {
    // What came meanwhile came from here.
    const timespec now{};
    if (!was_pending_)
      while (sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) {
      }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  PipeSignalBlock(const PipeSignalBlock&) = delete;
  PipeSignalBlock& operator=(const PipeSignalBlock&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

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

void print_error_text(std::string_view text) noexcept {
  const PipeSignalBlock block;
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void print_error_line(std::string_view before, std::string_view text) noexcept {
  std::array<char, 512> line{};
  std::size_t size = 0;
  const auto add = [&](char c) {
    line[size++] = c;
    if (size < line.size() && c != '\n') return;
    print_error_text({line.data(), size});
    size = 0;
  };
  for (const char c : before) add(c);
  for (const char c : text) add(static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c);
  add('\n');
}

void reserve_standard_streams() noexcept {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is this one.
    static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

}  // namespace simplexboost::cli
