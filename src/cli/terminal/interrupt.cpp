#include "cli/terminal/interrupt.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>

#include "base/stop.h"

namespace simplexboost::cli {
namespace {

extern "C" void request_interrupt(int) {
  constexpr std::string_view kMessage = "\ninterrupted: ends in a moment; once more kills\n";
  const int saved = errno;
  request_stop();
  static_cast<void>(!::write(STDERR_FILENO, kMessage.data(), kMessage.size()));
  errno = saved;
}

}  // namespace

void watch_signals() noexcept {
  struct sigaction action {};
  action.sa_handler = request_interrupt;
  // One shot: the second signal meets the default action, which ends the process. System calls that
  // wait, for a pipe for instance, come back to look at the wish.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

}  // namespace simplexboost::cli
