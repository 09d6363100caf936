#include "cli/terminal/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string_view>

namespace simplexboost::cli {
namespace {

std::atomic<bool> interrupt_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may set it");

extern "C" void request_interrupt(int) {
  constexpr std::string_view kMessage =
      "\ninterrupted: ends after this round; Ctrl-C again kills\n";
  const int saved = errno;
  interrupt_requested = true;
  static_cast<void>(!::write(STDERR_FILENO, kMessage.data(), kMessage.size()));
  errno = saved;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  struct sigaction action {};
  action.sa_handler = request_interrupt;
  // One shot: the second signal meets the default action, which ends the process.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, nullptr, &before_);
  // A command started in the background with interrupts ignored keeps ignoring them.
  if (before_.sa_handler != SIG_IGN) sigaction(SIGINT, &action, nullptr);
}

InterruptGuard::~InterruptGuard() { sigaction(SIGINT, &before_, nullptr); }

bool interrupted() { return interrupt_requested; }

}  // namespace simplexboost::cli
