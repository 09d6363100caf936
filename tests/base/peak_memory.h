// What an action takes of memory at its peak, for the tests of bounds.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <string>

#include "simplexboost/error.h"

namespace simplexboost::testing {

// A sanitizer has memory of its own. GCC says that there is one by macros, clang by features.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMeasures = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kMeasures = false;
#else
inline constexpr bool kMeasures = true;
#endif
#else
inline constexpr bool kMeasures = true;
#endif

inline std::size_t status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name))
      return std::strtoull(line.c_str() + name.size(), nullptr, 10) << 10U;
  return 0;
}

// In a process of its own, in which a failed expectation counts: how much more memory it took at
// its peak than before, in bytes. An error is as good as a result; it must not take more either.
template <class Action>
std::size_t peak_of(const Action& action) {
  int ends[2];
  if (::pipe(ends) != 0) return 0;
  const pid_t child = ::fork();
  if (child == 0) {
    std::ofstream("/proc/self/clear_refs") << "5";  // the peak begins anew
    const std::size_t before = status_bytes("VmRSS:");
    try {
      action();
    } catch (const Error&) {
    }
    const std::size_t peak = status_bytes("VmHWM:");
    const std::size_t more = peak > before ? peak - before : 0;
    static_cast<void>(!::write(ends[1], &more, sizeof(more)));
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  std::size_t more = 0;
  const bool got = ::read(ends[0], &more, sizeof(more)) == sizeof(more);
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_TRUE(got && status == 0);
  return more;
}

}  // namespace simplexboost::testing
