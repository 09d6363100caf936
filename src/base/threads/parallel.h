// Loops over independent tasks by threads. Results must not depend on their number: a task writes
// only what is its own, and sums across tasks are taken in task order by the caller.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>

#include "base/stop.h"
#include "base/threads/thread_pool.h"

namespace simplexboost {

// More would gain nothing.
inline constexpr int kMaxThreads = 1024;

// 0 (or less) means all cores.
inline int resolve_threads(int threads) {
  if (threads <= 0) threads = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(threads, 1, kMaxThreads);
}

// Calls task(i) for i in [0, tasks), each once, on up to `threads` threads. The first exception
// (by task number) is rethrown after all tasks have ended. Where someone wishes to stop
// (base/stop.h), tasks not yet begun are left out, and Stopped is thrown.
template <class Task>
void parallel_for(int threads, std::size_t tasks, const Task& task) {
  if (threads <= 1 || tasks <= 1) {
    for (std::size_t i = 0; i < tasks; ++i) {
      check_stop();
      task(i);
    }
    return;
  }
  struct Loop {
    const Task& task;
    std::mutex mutex = {};
    std::exception_ptr error = {};
    std::size_t error_task = 0;
  };
  Loop loop{task};
  const auto call = [](void* context, std::size_t i) {
    auto& self = *static_cast<Loop*>(context);
    try {
      check_stop();
      self.task(i);
    } catch (...) {
      const std::lock_guard lock(self.mutex);
      if (!self.error || i < self.error_task) {
        self.error_task = i;
        self.error = std::current_exception();
      }
    }
  };
  run_tasks(threads, tasks, call, &loop);
  if (loop.error) std::rethrow_exception(loop.error);
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
