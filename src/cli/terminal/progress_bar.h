// One line on standard error, redrawn while training goes on: bar, rounds, errors, time left, and
// before the first round how long rows have been prepared (checked, binned). Draws only where a
// person watches; elsewhere it just carries the wish to stop.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "cli/terminal/terminal.h"
#include "cli/terminal/waiting_line.h"
#include "simplexboost/progress.h"

namespace simplexboost::cli {

struct ProgressState {
  std::size_t done = 0;
  std::size_t total = 0;
  double seconds = 0;
  std::string figures;  // "train 0.1234  valid 0.1300"
};

// The line, at most `width` columns wide. Colour takes no columns.
std::string render_progress(const ProgressState& state, std::size_t width,
                            const Terminal& terminal);

// "0:07", "12:34", "1:02:03".
std::string format_duration(double seconds);

class ProgressBar : public Progress {
 public:
  ProgressBar(const Terminal& terminal, bool quiet);
  ~ProgressBar() override { erase(); }  // an error message needs the line too
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void start(std::size_t total) override;
  // False once the person pressed Ctrl-C.
  bool round(std::size_t round, std::span<const RoundMetric> metrics) override;
  void finish(const std::string& /*why*/) override { erase(); }

 private:
  void erase();

  using Clock = std::chrono::steady_clock;

  Terminal terminal_;
  bool visible_;
  ProgressState state_;
  std::optional<WaitingLine> preparing_;  // until the rounds begin
  Clock::time_point begin_;
  Clock::time_point drawn_;
};

}  // namespace simplexboost::cli
