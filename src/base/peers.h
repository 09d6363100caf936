// Ranks that can send each other messages, and a Communicator made of that. Libraries of collective
// calls are not used for it: Open MPI's that can be given up when a rank dies (the non-blocking
// ones) reduce to one rank and scatter from there, and Dask has none. What a transport does is to
// exchange bytes with two others, to notice that one of them is gone, and to say so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/communicator.h"
#include "base/direct_bytes.h"
#include "base/part_sums.h"

namespace simplexboost {

class Peers {
 public:
  static constexpr int kNobody = -1;
  static constexpr double kPatience = 1'800;

  virtual ~Peers() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Sends `out` to one rank while `in` is filled by what another sends; either may be kNobody, and
  // both may be the same. Messages between two ranks arrive in their order, and are as long as the
  // other end says. Throws CommunicationError where that cannot be.
  virtual void exchange(std::span<const std::byte> out, int to, std::span<std::byte> in,
                        int from) = 0;
  // As Communicator has it.
  virtual void fail(const std::string& reason) noexcept = 0;
  // Throws a CommunicationError where another rank is known to have failed; for those who wait for
  // ranks by other ways than these.
  virtual void throw_if_failed() const {}
  // Seconds that a rank which lives is waited for, by those as well.
  virtual double patience() const { return kPatience; }
};

// How much a rank has sent and taken part in, for those who count.
struct Traffic {
  std::uint64_t calls = 0;     // of Communicator
  std::uint64_t messages = 0;  // sent
  std::uint64_t bytes = 0;     // sent
};

// Bytes that a rank sends, N ranks, of B bytes each: B (N - 1) / N where parts are summed, twice
// that where all sums go to all; what is gathered, N shares of b bytes, costs b (N - 1).
class PeerCommunicator : public Communicator, public PartSums, public DirectBytes {
 public:
  explicit PeerCommunicator(Peers& peers) : peers_(peers) {}

  int rank() const override { return peers_.rank(); }
  int size() const override { return peers_.size(); }
  void sum(std::span<std::int32_t> values) override;
  void sum(std::span<std::int64_t> values) override;
  void sum(std::span<double> values) override;
  void sum_parts(std::span<std::int32_t> values, std::span<const std::size_t> ends) override;
  void sum_parts(std::span<std::int64_t> values, std::span<const std::size_t> ends) override;
  void maximum(std::span<std::int64_t> values) override;
  void maximum(std::span<double> values) override;
  std::vector<std::byte> gather(std::span<const std::byte> mine,
                                std::vector<std::size_t>* sizes = nullptr) override;
  void broadcast(std::span<std::byte> bytes, int root) override;
  std::vector<std::byte> pass(std::vector<std::byte> bytes, int from, int to) override;
  void barrier() override;
  void fail(const std::string& reason) noexcept override { peers_.fail(reason); }
  void throw_if_failed() const { peers_.throw_if_failed(); }
  double patience() const { return peers_.patience(); }

  const Traffic& traffic() const { return traffic_; }

 private:
  template <class T, class Combine>
  void reduce(std::span<T> values, const Combine& combine);
  template <class T, class Combine>
  void reduce_parts(std::span<T> values, std::span<const std::size_t> ends, const Combine& combine);
  std::vector<std::byte> gather_known(std::span<const std::byte> mine,
                                      std::span<const std::size_t> sizes);
  std::vector<std::size_t> gather_sizes(std::size_t mine);
  void exchange(std::span<const std::byte> out, int to, std::span<std::byte> in, int from);
  int other(int distance) const { return (rank() + size() + distance) % size(); }

  Peers& peers_;
  Traffic traffic_;
};

}  // namespace simplexboost
