// Ranks that exchange messages through an object of Python: one that has `rank` and `size`, and
//
//   exchange(out, to, into, from)   sends the bytes `out` to rank `to` (-1: to nobody) and fills
//                                   the buffer `into` by those that rank `from` (-1) sends
//   fail(reason)                    tells the others that this rank cannot go on
//   patience                        seconds that it waits for a rank which lives
#pragma once

#include <nanobind/nanobind.h>

#include <exception>

#include "base/peers.h"
#include "simplexboost/error.h"

namespace simplexboost::python {

namespace nb = nanobind;

// May be called with and without Python's lock.
class PythonPeers : public Peers {
 public:
  // Takes the lock where it is destroyed, too.
  explicit PythonPeers(nb::object peers);
  ~PythonPeers() override;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  // Exceptions of Python become CommunicationErrors with their text.
  void exchange(std::span<const std::byte> out, int to, std::span<std::byte> in, int from) override;
  void fail(const std::string& reason) noexcept override;
  double patience() const override { return patience_; }

 private:
  nb::object peers_;
  int rank_;
  int size_;
  double patience_;
};

// Calls use(ranks); where it throws, the others are told.
template <class Use>
auto with_ranks(const nb::object& peers, const Use& use) {
  PythonPeers others(peers);
  PeerCommunicator ranks(others);
  try {
    return use(static_cast<Communicator&>(ranks));
  } catch (const CommunicationError&) {
    throw;  // known already
  } catch (const std::exception& error) {
    ranks.fail(error.what());
    throw;
  }
}

}  // namespace simplexboost::python
