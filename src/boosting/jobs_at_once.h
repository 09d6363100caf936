// How many trainings to run side by side.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/memory.h"

namespace simplexboost {

// How many of `jobs` trainings on so many rows of so many outputs to run at once with `threads`
// threads: each runs alone on its thread, which wastes nothing on waiting, but takes memory of its
// own and leaves threads idle where there are fewer jobs.
inline int jobs_at_once(int threads, std::size_t jobs, std::size_t rows, std::size_t outputs) {
  constexpr std::size_t kMost = std::size_t{2} << 30;
  constexpr std::size_t kBytes = 32;  // an output: scores, pulls, curvature and their like
  const std::size_t memory = std::min<std::size_t>(kMost, available_memory() / 2);
  const std::size_t fit = memory / std::max<std::size_t>(1, rows * outputs * kBytes);
  const auto wanted = static_cast<std::size_t>(threads);
  return 2 * jobs >= wanted && fit >= wanted ? static_cast<int>(std::min(wanted, jobs)) : 1;
}

}  // namespace simplexboost
