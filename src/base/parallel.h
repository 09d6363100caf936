// Loops over independent tasks by OpenMP. Results must not depend on the number of threads: a task
// writes only what is its own, and sums across tasks are taken in task order by the caller.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <exception>

namespace simplexboost {

// More would gain nothing, and OpenMP ends the program when the system refuses a thread.
inline constexpr int kMaxThreads = 1024;

// 0 (or less) means all cores.
inline int resolve_threads(int threads) {
  return std::min(threads > 0 ? threads : omp_get_num_procs(), kMaxThreads);
}

// Calls task(i) for i in [0, tasks), each once, on up to `threads` threads. The first exception
// (by task number) is rethrown after all tasks have ended.
template <class Task>
void parallel_for(int threads, std::size_t tasks, const Task& task) {
  if (threads <= 1 || tasks <= 1) {
    for (std::size_t i = 0; i < tasks; ++i) task(i);
    return;
  }
  std::exception_ptr error;
  std::size_t error_task = tasks;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (std::size_t i = 0; i < tasks; ++i) {
    try {
      task(i);
    } catch (...) {
#pragma omp critical(simplexboost_parallel_error)
      if (i < error_task) {
        error_task = i;
        error = std::current_exception();
      }
    }
  }
  if (error) std::rethrow_exception(error);
}

// Splits [0, size) into blocks of `block` and calls task(begin, end) for each.
template <class Task>
void parallel_blocks(int threads, std::size_t size, std::size_t block, const Task& task) {
  const std::size_t blocks = (size + block - 1) / block;
  parallel_for(threads, blocks, [&](std::size_t i) {
    const std::size_t begin = i * block;
    task(begin, begin + block < size ? begin + block : size);
  });
}

}  // namespace simplexboost
