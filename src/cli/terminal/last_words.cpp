#include "cli/terminal/last_words.h"

#include <new>
#include <stdexcept>

namespace simplexboost::cli {

void tell_uncaught(const std::exception_ptr& error, void (*tell)(const char* words)) noexcept {
  if (!error) {
    tell("ended without a word: not enough memory for one, or a fault of simplexboost");
    return;
  }
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    tell("not enough memory");
  } catch (const std::length_error&) {
    tell("not enough memory");
  } catch (const std::exception& known) {
    tell(known.what());
  } catch (...) {
    tell("ended by an exception of an unknown kind: a fault of simplexboost");
  }
}

}  // namespace simplexboost::cli
