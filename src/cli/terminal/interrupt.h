// Ctrl-C as a polite request: while a guard lives, the first one only raises a flag and says so,
// the second one kills as usual.
#pragma once

#include <csignal>

namespace simplexboost::cli {

class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction before_ {};
};

bool interrupted();

}  // namespace simplexboost::cli
