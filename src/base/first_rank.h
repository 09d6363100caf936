// Values of all ranks on the first of them, for what must see them together, and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/communicator.h"
#include "base/direct_bytes.h"

namespace simplexboost {

// In the order of the ranks; none on the others.
template <class T>
std::vector<T> bring_to_first(Communicator& ranks, std::span<const T> mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all;
  if (ranks.rank() == 0) all.assign(mine.begin(), mine.end());
  for (int from = 1; from < ranks.size(); ++from) {
    std::vector<std::byte> bytes;
    const std::span<const std::byte> here = std::as_bytes(mine);
    if (ranks.rank() == from) bytes.assign(here.begin(), here.end());
    bytes = pass(ranks, std::move(bytes), from, 0);
    if (ranks.rank() != 0 || bytes.empty()) continue;
    const std::size_t before = all.size();
    all.resize(before + bytes.size() / sizeof(T));
    std::memcpy(all.data() + before, bytes.data(), bytes.size());
  }
  return all;
}

// What bring_to_first() gave, or as much in its place, to where it came from.
template <class T>
void deal_from_first(Communicator& ranks, std::span<const T> all, std::span<T> mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::uint64_t size = mine.size_bytes();
  std::span<const std::byte> left = std::as_bytes(all);
  int to = 0;
  for (const std::uint64_t share : gather_values<std::uint64_t>(ranks, {&size, 1})) {
    std::vector<std::byte> bytes;
    if (ranks.rank() == 0) {
      bytes.assign(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(share));
      left = left.subspan(share);
    }
    bytes = pass(ranks, std::move(bytes), 0, to);
    if (ranks.rank() == to && !bytes.empty()) std::memcpy(mine.data(), bytes.data(), bytes.size());
    ++to;
  }
}

}  // namespace simplexboost
