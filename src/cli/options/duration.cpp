#include "cli/options/duration.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "cli/options/arguments.h"

namespace simplexboost::cli {

double parse_seconds(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, value);
  const std::string unit(stop, end);
  const double seconds = unit.empty() || unit == "s" ? 1
                         : unit == "m"               ? 60
                         : unit == "h"               ? 3600
                                                     : 0;
  const bool sound = failed == std::errc() && value > 0 && std::isfinite(value);
  return sound ? value * seconds : 0;
}

double budget_seconds(const std::string& text) {
  const double seconds = parse_seconds(text);
  if (!(seconds > 0))
    throw UsageError(fmt::format("--budget: '{}' is no time; give one like 90s, 10m or 2h", text));
  return seconds;
}

}  // namespace simplexboost::cli
