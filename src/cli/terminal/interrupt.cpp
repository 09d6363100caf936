#include "cli/terminal/interrupt.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "base/stop.h"

namespace simplexboost::cli {
namespace {

constexpr std::array kWatched{SIGINT, SIGTERM};

std::atomic_flag ends_in_silence;

extern "C" void request_interrupt(int signal);

// From now on the default action, which ends the process, for what was watched.
void let_signals_kill() noexcept {
  struct sigaction before {};
  for (const int signal : kWatched)
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == request_interrupt)
      std::signal(signal, SIG_DFL);
}

extern "C" void request_interrupt(int signal) {
  constexpr std::string_view kMessage = "\ninterrupted: ends in a moment; once more kills\n";
  static std::atomic_flag asked;
  const int saved = errno;
  // Another thread, or this one below us, may be in here with the first one.
  const bool second = asked.test_and_set();
  let_signals_kill();
  if (second) std::raise(signal);
  request_stop();
  if (!ends_in_silence.test())
    static_cast<void>(!::write(STDERR_FILENO, kMessage.data(), kMessage.size()));
  errno = saved;
}

}  // namespace

void watch_signals() noexcept {
  struct sigaction action {};
  action.sa_handler = request_interrupt;
  // The second signal kills also while the first one's message waits for a reader. No SA_RESTART:
  // system calls that wait, for a pipe for instance, come back to look at the wish.
  action.sa_flags = SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (const int signal : kWatched) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

void end_in_silence() noexcept { ends_in_silence.test_and_set(); }

}  // namespace simplexboost::cli
