// SIGINT (Ctrl-C) and SIGTERM as polite requests: the first one wishes that work stops
// (base/stop.h) and says so; the second one, of whichever kind, kills as usual.
#pragma once

namespace simplexboost::cli {

// Once, at the beginning. A signal that is ignored, as in the background, stays so.
void watch_signals() noexcept;

// From now on a signal says nothing: the end has been told already, and a launcher that ends the
// other processes of a job is no person who asks.
void end_in_silence() noexcept;

}  // namespace simplexboost::cli
