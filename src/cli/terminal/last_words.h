// What the command says of an exception that nothing has caught.
#pragma once

#include <exception>

namespace simplexboost::cli {

// Calls `tell` with the words for `error`; null: where memory is so short that an exception itself
// has no room, the system ends the program without one.
void tell_uncaught(const std::exception_ptr& error, void (*tell)(const char* words)) noexcept;

}  // namespace simplexboost::cli
