// Bytes that one rank alone needs, as the one that writes what all have to say: sent there, where a
// broadcast would send them to all.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/communicator.h"

namespace simplexboost {

// A communicator that can do it.
class DirectBytes {
 public:
  virtual ~DirectBytes() = default;

  // What `from` gave, however much, on `to`; nothing on the others.
  virtual std::vector<std::byte> pass(std::vector<std::byte> bytes, int from, int to) = 0;
};

// Where it cannot, all get them.
inline std::vector<std::byte> pass(Communicator& ranks, std::vector<std::byte> bytes, int from,
                                   int to) {
  if (auto* const direct = dynamic_cast<DirectBytes*>(&ranks))
    return direct->pass(std::move(bytes), from, to);
  broadcast_all(ranks, bytes, from);
  return ranks.rank() == to ? std::move(bytes) : std::vector<std::byte>{};
}

}  // namespace simplexboost
