// What an error says, for the tests of messages.
#pragma once

#include <string>

#include "simplexboost/error.h"

namespace simplexboost::testing {

// Empty where nothing is thrown; what is no `Exception` passes through.
template <class Exception = Error, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace simplexboost::testing
