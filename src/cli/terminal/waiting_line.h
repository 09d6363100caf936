// One line on standard error where a step takes long that tells nothing of itself while it goes on,
// as reading a file or binning its rows: what is done, and since when. Draws only where a person
// watches, after a second.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "cli/terminal/terminal.h"

namespace simplexboost::cli {

// The line, at most `width` columns wide: "reading rows.csv  0:12".
std::string render_waiting(const std::string& what, double seconds, std::size_t width);

class WaitingLine {
 public:
  static constexpr std::chrono::milliseconds kPatience{1000};

  WaitingLine(std::string what, const Terminal& terminal, bool quiet,
              std::chrono::milliseconds patience = kPatience);
  // Takes the line away.
  ~WaitingLine();
  WaitingLine(const WaitingLine&) = delete;
  WaitingLine& operator=(const WaitingLine&) = delete;

 private:
  void draw();

  std::string what_;
  std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace simplexboost::cli
