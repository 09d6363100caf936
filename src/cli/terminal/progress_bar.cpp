#include "cli/terminal/progress_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/stop.h"
#include "cli/text/layout.h"

namespace simplexboost::cli {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::size_t kWidestBar = 40;
constexpr std::size_t kNarrowestBar = 5;

std::string repeat(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::string render_bar(double share, std::size_t width, const Terminal& terminal) {
  const auto full = static_cast<std::size_t>(share * static_cast<double>(width));
  const std::string done = repeat(terminal.utf8 ? "━" : "#", full);
  const std::string left = repeat(terminal.utf8 ? "─" : ".", width - full);
  if (!terminal.color) return done + left;
  return "\x1b[32m" + done + "\x1b[0m\x1b[2m" + left + "\x1b[0m";
}

std::string format_metrics(std::span<const RoundMetric> metrics) {
  std::string text;
  for (const RoundMetric& metric : metrics) {
    if (metric.name == "train_error") text += fmt::format("  train {:.4f}", metric.value);
    if (metric.name == "valid_error") text += fmt::format("  valid {:.4f}", metric.value);
  }
  return text;
}

}  // namespace

std::string format_duration(double seconds) {
  constexpr double kLongest = 360'000'000;  // a hundred thousand hours
  if (!std::isfinite(seconds)) return "?";
  const auto whole = static_cast<long>(std::clamp(seconds, 0.0, kLongest));
  const long hours = whole / 3600;
  const long minutes = whole / 60 % 60;
  if (hours == 0) return fmt::format("{}:{:02}", minutes, whole % 60);
  return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
}

std::string render_progress(const ProgressState& state, std::size_t width,
                            const Terminal& terminal) {
  const double share =
      state.total == 0 ? 0 : static_cast<double>(state.done) / static_cast<double>(state.total);
  std::string text = fmt::format("round {}/{}{}  {}", state.done, state.total, state.figures,
                                 format_duration(state.seconds));
  if (state.done > 0 && state.done < state.total) {
    text += fmt::format(", {} left", format_duration(state.seconds / share * (1 - share)));
  }
  // The last column stays free: writing there makes some terminals go to the next line.
  const std::size_t room = width > 0 ? width - 1 : 0;
  if (display_width(text) + 1 + kNarrowestBar > room) return fit(text, room);
  const std::size_t bar = std::min(kWidestBar, room - display_width(text) - 1);
  return render_bar(std::min(share, 1.0), bar, terminal) + " " + text;
}

ProgressBar::ProgressBar(const Terminal& terminal, bool quiet)
    : terminal_(terminal), visible_(terminal.interactive && !quiet) {
  preparing_.emplace("preparing the rows", terminal, quiet);
}

void ProgressBar::start(std::size_t total) {
  preparing_.reset();
  state_.total = total;
  begin_ = Clock::now();
  drawn_ = begin_ - kRedraw;
}

bool ProgressBar::round(std::size_t round, std::span<const RoundMetric> metrics) {
  const Clock::time_point now = Clock::now();
  state_.done = round + 1;
  if (visible_ && (now - drawn_ >= kRedraw || state_.done == state_.total)) {
    drawn_ = now;
    state_.seconds = std::chrono::duration<double>(now - begin_).count();
    state_.figures = format_metrics(metrics);
    print_error_text(std::string(kEraseLine) +
                     render_progress(state_, error_terminal_width(), terminal_));
  }
  return !stop_requested();
}

void ProgressBar::erase() {
  preparing_.reset();
  if (!visible_ || state_.done == 0) return;
  state_.done = 0;
  print_error_text(kEraseLine);
}

}  // namespace simplexboost::cli
