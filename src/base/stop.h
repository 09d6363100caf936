// The wish to stop, which a signal handler or another thread may utter at any time. Long work looks
// at it between its tasks (base/threads/parallel.h) and in loops of its own, and ends by a Stopped.
#pragma once

#include <atomic>

#include "simplexboost/error.h"

namespace simplexboost {

// Work was stopped because someone wished it.
class Stopped : public Error {
 public:
  Stopped() : Error("interrupted") {}
};

namespace stop_detail {
inline std::atomic<bool> wished{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may set it");
inline std::atomic<int> pauses{0};
[[noreturn]] void throw_stopped();
}  // namespace stop_detail

inline void request_stop() noexcept { stop_detail::wished.store(true, std::memory_order_relaxed); }
inline void withdraw_stop() noexcept {
  stop_detail::wished.store(false, std::memory_order_relaxed);
}
inline bool stop_requested() noexcept {
  return stop_detail::wished.load(std::memory_order_relaxed);
}

// Throws Stopped where someone wished it. Costs next to nothing.
inline void check_stop() {
  if (stop_requested() && stop_detail::pauses.load(std::memory_order_relaxed) == 0)
    stop_detail::throw_stopped();
}

// While it lives, check_stop() does nothing: what is left to do is short, and must be done.
class StopPause {
 public:
  StopPause() noexcept { ++stop_detail::pauses; }
  ~StopPause() { --stop_detail::pauses; }
  StopPause(const StopPause&) = delete;
  StopPause& operator=(const StopPause&) = delete;
};

}  // namespace simplexboost
