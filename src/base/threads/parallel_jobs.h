// A few long jobs side by side, such as whole trainings, each on one thread. They run on threads of
// their own: the pool is for short loops, and inside one of them no other can be spread.
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

}  // namespace simplexboost
