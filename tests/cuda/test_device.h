// The device that the tests of this folder run on: emulated, so that every build tests all but for
// the GPU itself; SIMPLEXBOOST_TEST_DEVICE=cuda names one.
#pragma once

#include <cstdlib>
#include <string>

namespace simplexboost::testing {

inline std::string test_device() {
  const char* const name = std::getenv("SIMPLEXBOOST_TEST_DEVICE");
  return name ? name : "emulated";
}

}  // namespace simplexboost::testing
