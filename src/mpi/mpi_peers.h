// The ranks of an MPI job (mpirun, srun) as peers. Beside the messages of a training, each rank
// tells the next one twice a second that it lives: one that was killed or stopped, or whose machine
// is gone, is noticed within RankLimits::silence and named to all, though MPI itself would wait for
// ever. A thread of its own tells, so that a rank that is busy for minutes is not taken for dead.
//
// They are in a shared object of their own, which the command loads where it was started by a
// launcher: whatever is linked with MPI pays for it in every process, with megabytes and its start.
#pragma once

#include <functional>
#include <string>

#include "base/peers.h"

namespace simplexboost {

// What a rank is waited for, in seconds.
struct RankLimits {
  double silence = 15;                 // without a sign of life
  double patience = Peers::kPatience;  // in one exchange with a rank that lives
  double start = 22;                   // until all have come to MPI
};

class MpiPeers : public Peers {
 public:
  // Whether a rank has died, or fallen silent.
  virtual bool lost() const = 0;

  // The end, which all ranks come to. Well: waits for all of them; throws where one has failed.
  virtual void finish() = 0;
  // Otherwise one of them speaks for all, the first that lives, and the others end when it has.
  virtual bool speaks() const = 0;
  virtual void have_spoken() noexcept = 0;
  // Waits until it has; false where it takes too long.
  virtual bool await_speaker() noexcept = 0;
  // Leaves MPI, as far as that can be done with ranks that may be dead.
  virtual void leave() noexcept = 0;
};

// Called with the reason, if this rank is to tell it, or with nothing; must not return.
using GiveUp = std::function<void(const std::string& why)>;

// The one symbol of the shared object. Starts MPI, once in a process. All ranks of the job do so
// together; where one of them does not come in time, it gives up. The caller owns what comes back.
inline constexpr const char* kStartPeers = "simplexboost_start_peers";
using StartPeers = MpiPeers*(const RankLimits& limits, GiveUp give_up);

}  // namespace simplexboost
