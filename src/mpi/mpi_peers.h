// The ranks of an MPI job (mpirun, srun) as peers. Beside the messages of a training, each rank
// tells the next one twice a second that it lives: one that was killed or stopped, or whose machine
// is gone, is noticed within RankLimits::silence and named to all, though MPI itself would wait for
// ever. A thread of its own tells, so that a rank that is busy for minutes is not taken for dead.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/peers.h"

namespace simplexboost {

// What a rank is waited for, in seconds.
struct RankLimits {
  double silence = 15;      // without a sign of life
  double patience = 1'800;  // in one exchange with a rank that lives
  double start = 22;        // until all have come to MPI
};

class MpiPeers : public Peers {
 public:
  // Starts MPI, once in a process. All ranks of the job do so together; where one of them does not
  // come in time, `give_up` is called with the reason, if this rank is to tell it, or with nothing,
  // and must not return.
  MpiPeers(const RankLimits& limits, std::function<void(const std::string& why)> give_up);
  ~MpiPeers() override;

  int rank() const override;
  int size() const override;
  void exchange(std::span<const std::byte> out, int to, std::span<std::byte> in, int from) override;
  void fail(const std::string& reason) noexcept override;
  void throw_if_failed() const override;

  // Whether a rank has died, or fallen silent.
  bool lost() const;

  // The end, which all ranks come to. Well: waits for all of them; throws where one has failed.
  void finish();
  // Otherwise one of them speaks for all, the first that lives, and the others end when it has.
  bool speaks() const;
  void have_spoken() noexcept;
  // Waits until it has; false where it takes too long.
  bool await_speaker() noexcept;
  // Leaves MPI, as far as that can be done with ranks that may be dead.
  void leave() noexcept;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace simplexboost
