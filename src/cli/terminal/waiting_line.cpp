#include "cli/terminal/waiting_line.h"

#include <fmt/format.h>

#include <csignal>
#include <system_error>
#include <utility>

#include "cli/terminal/progress_bar.h"
#include "cli/text/layout.h"

namespace simplexboost::cli {

std::string render_waiting(const std::string& what, double seconds, std::size_t width) {
  return fit(fmt::format("{}  {}", what, format_duration(seconds)), width > 0 ? width - 1 : 0);
}

WaitingLine::WaitingLine(std::string what, const Terminal& terminal, bool quiet,
                         std::chrono::milliseconds patience)
    : what_(std::move(what)), patience_(patience) {
  if (!terminal.interactive || quiet) return;
  // Signals are for the thread that works: what it waits for comes back to look at the wish.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] { draw(); });
  } catch (const std::system_error&) {
    // There is no line then.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

WaitingLine::~WaitingLine() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void WaitingLine::draw() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  bool drawn = false;
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, patience_, [this] { return end_; })) {
    drawn = true;
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    print_error_text(std::string(kEraseLine) +
                     render_waiting(what_, seconds, error_terminal_width()));
  }
  if (drawn) print_error_text(kEraseLine);
}

}  // namespace simplexboost::cli
