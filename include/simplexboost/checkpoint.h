// A file in which long work keeps what it has done so far, so that the same call goes on from there
// after the process was killed, to the result of a run that was never broken off.
#pragma once

#include <cstddef>
#include <string>

#include "simplexboost/export.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

// The file is only ever replaced by a whole one. One of other data, settings or version, or a
// damaged one, is a ModelError that says what differs or what is wrong.
struct CheckpointOptions {
  std::string file = {};  // empty: none
  // It is written every so many seconds or rounds, whichever is not 0 and comes first; and when
  // work is stopped.
  double seconds = 30;
  std::size_t rounds = 0;
  // Leave it in its place at the end: remove it yourself once the result is safe.
  bool keep = false;
};

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
