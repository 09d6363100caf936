// The processes ("ranks") that train one model together, each on a share of the rows. Every call is
// collective: all ranks make the same calls in the same order, and all get the same answer. One
// process is the case in which nothing is exchanged: this class itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/byte_stream.h"

namespace simplexboost {

class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }

  // Element by element over the ranks, in place. The arrays are equally long on all of them. Sums
  // of doubles are taken in the order of the ranks.
  virtual void sum(std::span<std::int32_t> /*values*/) {}
  virtual void sum(std::span<std::int64_t> /*values*/) {}
  virtual void sum(std::span<double> /*values*/) {}
  virtual void maximum(std::span<std::int64_t> /*values*/) {}
  virtual void maximum(std::span<double> /*values*/) {}

  // What every rank gave, of any length, one after the other in the order of the ranks; with
  // `sizes` (else null) how many bytes each gave.
  virtual std::vector<std::byte> gather(std::span<const std::byte> mine,
                                        std::vector<std::size_t>* sizes = nullptr) {
    if (sizes) *sizes = {mine.size()};
    return {mine.begin(), mine.end()};
  }
  // Replaces `bytes`, equally long on all ranks, by those of `root`.
  virtual void broadcast(std::span<std::byte> /*bytes*/, int /*root*/) {}
  virtual void barrier() {}

  // This rank cannot go on, and says why: the calls that the others are in, or make next, throw a
  // CommunicationError that names it and the reason. Does not wait for them.
  virtual void fail(const std::string& /*reason*/) noexcept {}
};

// The values of all ranks, in their order.
template <class T>
std::vector<T> gather_values(Communicator& ranks, std::span<const T> mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (ranks.size() == 1) return {mine.begin(), mine.end()};
  const std::vector<std::byte> bytes = ranks.gather(std::as_bytes(mine));
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// The same of several lists, as many on each rank, in two calls.
template <class T>
std::vector<std::vector<T>> gather_lists(Communicator& ranks,
                                         const std::vector<std::vector<T>>& mine) {
  std::vector<std::uint64_t> sizes;
  std::vector<T> joined;
  for (const std::vector<T>& list : mine) {
    sizes.push_back(list.size());
    joined.insert(joined.end(), list.begin(), list.end());
  }
  sizes = gather_values<std::uint64_t>(ranks, sizes);
  joined = gather_values<T>(ranks, joined);
  std::vector<std::vector<T>> lists(mine.size());
  auto at = joined.begin();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto end = at + static_cast<std::ptrdiff_t>(sizes[i]);
    lists[i % lists.size()].insert(lists[i % lists.size()].end(), at, end);
    at = end;
  }
  return lists;
}

// Replaces `bytes` by those of `root`, however many these are.
void broadcast_all(Communicator& ranks, std::vector<std::byte>& bytes, int root);

// Work that goes through the ranks in their order: turn() goes on with the `state` that the rank
// before it left, and all end with that of the last. The ranks wait for each other: this is for
// little work. A state of several members has carry(bytes) (byte_stream.h).
template <class State, class Turn>
void in_turn(Communicator& ranks, State& state, const Turn& turn) {
  if (ranks.size() == 1) return turn();
  const auto carry = [&](auto& bytes) {
    if constexpr (requires { state.carry(bytes); })
      state.carry(bytes);
    else
      bytes(state);
  };
  std::vector<std::byte> last;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    if (rank == ranks.rank()) {
      if (ByteReader reader(last); rank > 0) carry(reader);
      turn();
      ByteWriter writer;
      carry(writer);
      last = writer.bytes();
    }
    broadcast_all(ranks, last, rank);
  }
  ByteReader reader(last);
  carry(reader);
}

// The communicator of one process.
Communicator& no_others();

}  // namespace simplexboost
