// Helper threads for loops over tasks. The caller works too and never waits for a helper that has
// not begun a task, so a loaded machine slows a loop down by its load and no more: with barriers,
// as OpenMP has them, every loop waits until the slowest thread has been given a core at all.
#pragma once

#include <cstddef>

namespace simplexboost {

using TaskFunction = void (*)(void* context, std::size_t task);

// Calls function(context, i) for i in [0, tasks), each once, on up to `threads` threads, the
// calling one among them. `function` must not throw. A call from within a task, or while another
// thread's loop is under way, runs on the calling thread alone.
void run_tasks(int threads, std::size_t tasks, TaskFunction function, void* context);

// Which of the threads of a loop this is: 0 for the caller, below the loop's number of threads.
int worker_index();

}  // namespace simplexboost
