#include "cli/options/checkpoint_options.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "cli/options/data_options.h"
#include "cli/options/duration.h"

namespace simplexboost::cli {

void CheckpointArguments::declare(Arguments& arguments, const std::string& what) {
  arguments.option("--checkpoint", "FILE", options_.file,
                   fmt::format("Keep {} in FILE. The same command goes on from it after it was "
                               "killed, to the bytes of an unbroken run; removed at the end.",
                               what));
  arguments.option("--checkpoint-every", "TIME|N", every_,
                   "How often: a time like 30s (the default), 10m or 1h, or a number of rounds.");
}

void CheckpointArguments::check(const std::vector<std::string>& files) {
  constexpr double kMost = 1e9;
  const double value = parse_seconds(every_);
  const bool rounds = !every_.empty() && every_.back() >= '0' && every_.back() <= '9';
  if (!(value > 0 && value < kMost) || (rounds && value != std::floor(value)))
    throw UsageError(fmt::format(
        "--checkpoint-every: '{}' is neither a time, like 30s, nor a number of rounds", every_));
  options_.seconds = rounds ? 0 : value;
  options_.rounds = rounds ? static_cast<std::size_t>(value) : 0;
  if (given()) check_output_path(options_.file, files);
  if (!given() && every_ != kEvery)
    throw UsageError("--checkpoint-every: goes with --checkpoint FILE");
}

void CheckpointArguments::remove() const {
  std::error_code none;
  if (given()) std::filesystem::remove(options_.file, none);
}

}  // namespace simplexboost::cli
