#include "base/threads/thread_pool.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace simplexboost {
namespace {

thread_local int current_worker = 0;
thread_local bool inside_loop = false;

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// One loop at a time. Its life:
//   1. the caller sets the job and opens the gate; helpers may enter until it is closed;
//   2. everyone inside claims task numbers until none is left, first those of their own share;
//   3. the caller closes the gate and waits for those who had entered.
// Helpers that did not make it in time find the gate closed and have touched nothing.
class ThreadPool {
 public:
  bool try_run(int threads, std::size_t tasks, TaskFunction function, void* context) {
    const std::unique_lock lock(caller_, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    add_helpers(threads - 1);
    function_ = function;
    context_ = context;
    share_out(static_cast<std::size_t>(threads), tasks);
    left_.store(0, std::memory_order_relaxed);
    most_helpers_ = threads - 1;
    gate_.store(0, std::memory_order_release);
    loops_.fetch_add(1, std::memory_order_release);
    loops_.notify_all();
    inside_loop = true;
    work();
    inside_loop = false;
    const int entered = gate_.exchange(kClosed, std::memory_order_acq_rel);
    while (left_.load(std::memory_order_acquire) != entered) pause_briefly();
    return true;
  }

 private:
  static constexpr int kClosed = -1;
  // Helpers look out for the next loop this long before they sleep: loops come in bursts.
  static constexpr auto kAwake = std::chrono::microseconds(60);

  void add_helpers(int wanted) {
    while (helpers_ < wanted) {
      try {
        std::thread([this, number = helpers_ + 1] { help(number); }).detach();
      } catch (const std::system_error&) {
        return;  // the system gives no more threads: those there are suffice
      } catch (const std::bad_alloc&) {
        return;
      }
      ++helpers_;
    }
  }

  void share_out(std::size_t threads, std::size_t tasks) {
    if (shares_.size() != threads) shares_ = std::vector<Share>(threads);
    for (std::size_t i = 0; i < threads; ++i) {
      shares_[i].next.store(tasks * i / threads, std::memory_order_relaxed);
      shares_[i].end = tasks * (i + 1) / threads;
    }
  }

  void work() {
    const auto own = static_cast<std::size_t>(current_worker);
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      Share& share = shares_[(own + i) % shares_.size()];
      for (;;) {
        const std::size_t task = share.next.fetch_add(1, std::memory_order_relaxed);
        if (task >= share.end) break;
        function_(context_, task);
      }
    }
  }

  bool enter() {
    int inside = gate_.load(std::memory_order_acquire);
    while (inside != kClosed && current_worker <= most_helpers_.load(std::memory_order_relaxed))
      if (gate_.compare_exchange_weak(inside, inside + 1, std::memory_order_acq_rel)) return true;
    return false;
  }

  // A helper keeps its number, and so its share of the tasks, from loop to loop.
  [[noreturn]] void help(int number) {
    inside_loop = true;
    current_worker = number;
    std::uint32_t seen = 0;
    for (;;) {
      await_loop(seen);
      seen = loops_.load(std::memory_order_acquire);
      if (!enter()) continue;
      work();
      left_.fetch_add(1, std::memory_order_release);
    }
  }

  void await_loop(std::uint32_t seen) const {
    const auto until = std::chrono::steady_clock::now() + kAwake;
    while (std::chrono::steady_clock::now() < until) {
      for (int i = 0; i < 64; ++i) {
        if (loops_.load(std::memory_order_acquire) != seen) return;
        pause_briefly();
      }
    }
    loops_.wait(seen, std::memory_order_acquire);
  }

  // Neighbouring tasks, one share for each thread. Loops over the same rows or features give a
  // thread the same ones each time, so it finds in its own cache what it wrote in the last loop;
  // fetching it from another core costs several times the work on it.
  struct alignas(64) Share {
    std::atomic<std::size_t> next{0};
    std::size_t end = 0;
  };

  std::mutex caller_;
  int helpers_ = 0;
  TaskFunction function_ = nullptr;
  void* context_ = nullptr;
  std::vector<Share> shares_;
  std::atomic<int> most_helpers_{0};
  std::atomic<int> gate_{kClosed};       // helpers that have entered, or kClosed
  std::atomic<int> left_{0};             // helpers that have left again
  std::atomic<std::uint32_t> loops_{0};  // begun so far: what sleeping helpers watch
};

// Never destroyed: helpers may outlive main. A forked child has no helpers and takes a new pool.
std::atomic<ThreadPool*> pool{nullptr};

ThreadPool& the_pool() {
  // Not std::call_once: glibc aborts where an exception leaves it and memory is short.
  [[maybe_unused]] static const bool kMade = [] {
    auto first = std::make_unique<ThreadPool>();
    if (pthread_atfork(nullptr, nullptr, [] { pool.store(new ThreadPool); }) != 0)
      throw std::bad_alloc();
    pool.store(first.release());
    return true;
  }();
  return *pool.load(std::memory_order_acquire);
}

}  // namespace

int worker_index() { return current_worker; }

void run_tasks(int threads, std::size_t tasks, TaskFunction function, void* context) {
  if (threads > 1 && tasks > 1 && !inside_loop &&
      the_pool().try_run(threads, tasks, function, context)) {
    return;
  }
  for (std::size_t i = 0; i < tasks; ++i) function(context, i);
}

}  // namespace simplexboost
