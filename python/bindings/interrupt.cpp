#include "bindings/interrupt.h"

#include <csignal>

namespace simplexboost::python {
namespace {

int watches = 0;  // on the main thread
struct sigaction pythons {};

extern "C" void wish_and_tell_python(int signal) {
  request_stop();
  pythons.sa_handler(signal);
}

// Whether this is the thread that Python runs handlers on, and the handler of Ctrl-C is its own.
bool raises_interrupts() {
  const nb::module_ threads = nb::module_::import_("threading");
  if (!threads.attr("current_thread")().is(threads.attr("main_thread")())) return false;
  const nb::module_ signals = nb::module_::import_("signal");
  return signals.attr("getsignal")(SIGINT).is(signals.attr("default_int_handler"));
}

}  // namespace

InterruptWatch::InterruptWatch() {
  if (!raises_interrupts()) return;
  installed_ = true;
  if (watches++ > 0) return;
  withdraw_stop();
  sigaction(SIGINT, nullptr, &pythons);
  // Someone else's, after all.
  if ((pythons.sa_flags & static_cast<int>(SA_SIGINFO)) != 0 || pythons.sa_handler == SIG_DFL ||
      pythons.sa_handler == SIG_IGN)
    return;
  struct sigaction action {};
  action.sa_handler = wish_and_tell_python;
  action.sa_flags = pythons.sa_flags;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

InterruptWatch::~InterruptWatch() {
  if (!installed_ || --watches > 0) return;
  sigaction(SIGINT, &pythons, nullptr);
  withdraw_stop();
}

void raise_interrupt() {
  if (PyErr_CheckSignals() == 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw nb::python_error();
}

}  // namespace simplexboost::python
