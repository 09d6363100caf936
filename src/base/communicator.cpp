#include "base/communicator.h"

namespace simplexboost {

void broadcast_all(Communicator& ranks, std::vector<std::byte>& bytes, int root) {
  std::uint64_t size = bytes.size();
  ranks.broadcast(std::as_writable_bytes(std::span(&size, 1)), root);
  bytes.resize(size);
  ranks.broadcast(bytes, root);
}

Communicator& no_others() {
  static Communicator alone;
  return alone;
}

}  // namespace simplexboost
