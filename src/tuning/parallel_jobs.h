// A few long jobs side by side, each a whole training on one thread. They run on threads of their
// own: inside a loop of the thread pool a training would take itself for one of its tasks.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace simplexboost {

// Calls job(i) for i in [0, jobs), each once, on `workers` threads. The first exception (by number)
// is rethrown after all that began have ended; jobs that had not begun are not run then.
template <class Job>
void parallel_jobs(int workers, std::size_t jobs, const Job& job) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::vector<std::exception_ptr> errors(jobs);
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs && !failed; i = next++) {
      try {
        job(i);
      } catch (...) {
        errors[i] = std::current_exception();
        failed = true;
      }
    }
  };
  std::vector<std::thread> threads;
  for (int w = 1; w < std::min<int>(workers, static_cast<int>(jobs)); ++w)
    threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

// How many of `jobs` trainings on so many rows of so many outputs to run at once with `threads`
// threads: each runs alone on its thread, which wastes nothing on waiting, but takes memory of its
// own and leaves threads idle where there are fewer jobs.
inline int jobs_at_once(int threads, std::size_t jobs, std::size_t rows, std::size_t outputs) {
  constexpr std::size_t kMemory = std::size_t{2} << 30;
  constexpr std::size_t kBytes = 32;  // an output: scores, pulls, curvature and their like
  const std::size_t fit = kMemory / std::max<std::size_t>(1, rows * outputs * kBytes);
  const auto wanted = static_cast<std::size_t>(threads);
  return 2 * jobs >= wanted && fit >= wanted ? static_cast<int>(std::min(wanted, jobs)) : 1;
}

}  // namespace simplexboost
