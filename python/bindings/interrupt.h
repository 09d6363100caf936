// Ctrl-C while the library works: Python itself hears of a signal only between its own
// instructions.
#pragma once

#include <nanobind/nanobind.h>

#include "base/stop.h"

namespace simplexboost::python {

namespace nb = nanobind;

// While it lives, SIGINT also wishes that the library's work stops (base/stop.h): on the main
// thread, and where KeyboardInterrupt is what it raises. The lock must be held.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  bool installed_ = false;
};

[[noreturn]] void raise_interrupt();

// Calls work() without Python's lock; what it was doing is lost where someone interrupts it.
template <class Work>
auto unlocked(const Work& work) {
  const InterruptWatch watch;
  try {
    auto result = [&] {
      const nb::gil_scoped_release release;
      return work();
    }();
    if (stop_requested()) raise_interrupt();
    return result;
  } catch (const Stopped&) {
    raise_interrupt();
  }
}

}  // namespace simplexboost::python
