#include "base/peers.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <type_traits>

namespace simplexboost {
namespace {

// Up to so many bytes of all ranks together values are gathered and combined by everyone: that
// takes the logarithm of the ranks in steps, and summing by parts as many as there are ranks.
constexpr std::size_t kGathered = std::size_t{1} << 14;

// Longer parts are added up piece by piece, while the pieces are in the caches.
constexpr std::size_t kPiece = std::size_t{1} << 18;

// Of whole numbers: sums of checksums wrap around.
constexpr auto kAdd = []<class T>(T a, T b) {
  using Bits = std::make_unsigned_t<T>;
  return static_cast<T>(static_cast<Bits>(a) + static_cast<Bits>(b));
};
constexpr auto kLarger = [](auto a, auto b) { return std::max(a, b); };

// Equal parts of an array for all ranks.
std::vector<std::size_t> equal_parts(std::size_t length, int ranks) {
  std::vector<std::size_t> ends;
  const auto count = static_cast<std::size_t>(ranks);
  for (std::size_t r = 0; r < count; ++r)
    ends.push_back(length / count * (r + 1) + std::min(r + 1, length % count));
  return ends;
}

}  // namespace

void PeerCommunicator::exchange(std::span<const std::byte> out, int to, std::span<std::byte> in,
                                int from) {
  if (to != Peers::kNobody && !out.empty()) {
    ++traffic_.messages;
    traffic_.bytes += out.size();
  }
  peers_.exchange(out, out.empty() ? Peers::kNobody : to, in, in.empty() ? Peers::kNobody : from);
}

void PeerCommunicator::sum(std::span<std::int32_t> values) { reduce(values, kAdd); }
void PeerCommunicator::sum(std::span<std::int64_t> values) { reduce(values, kAdd); }
void PeerCommunicator::maximum(std::span<std::int64_t> values) { reduce(values, kLarger); }
void PeerCommunicator::maximum(std::span<double> values) { reduce(values, kLarger); }

// In the order of the ranks, which parts are not summed in.
void PeerCommunicator::sum(std::span<double> values) {
  ++traffic_.calls;
  const std::vector<std::size_t> sizes(static_cast<std::size_t>(size()), values.size_bytes());
  const std::vector<std::byte> all = gather_known(std::as_bytes(values), sizes);
  std::vector<double> theirs(values.size());
  for (std::size_t r = 0; r < sizes.size() && !values.empty(); ++r) {
    std::memcpy(theirs.data(), all.data() + r * values.size_bytes(), values.size_bytes());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = r == 0 ? theirs[i] : values[i] + theirs[i];
  }
}

void PeerCommunicator::sum_parts(std::span<std::int32_t> values,
                                 std::span<const std::size_t> ends) {
  ++traffic_.calls;
  reduce_parts(values, ends, kAdd);
}

void PeerCommunicator::sum_parts(std::span<std::int64_t> values,
                                 std::span<const std::size_t> ends) {
  ++traffic_.calls;
  reduce_parts(values, ends, kAdd);
}

template <class T, class Combine>
void PeerCommunicator::reduce(std::span<T> values, const Combine& combine) {
  ++traffic_.calls;
  if (values.empty()) return;
  const auto count = static_cast<std::size_t>(size());
  std::vector<std::size_t> sizes(count, values.size_bytes());
  std::vector<std::byte> all;
  if (values.size_bytes() * count <= kGathered) {
    all = gather_known(std::as_bytes(values), sizes);
    std::vector<T> theirs(values.size());
    for (std::size_t r = 0; r < count; ++r) {
      std::memcpy(theirs.data(), all.data() + r * values.size_bytes(), values.size_bytes());
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = r == 0 ? theirs[i] : combine(values[i], theirs[i]);
    }
    return;
  }
  const std::vector<std::size_t> ends = equal_parts(values.size(), size());
  reduce_parts(values, ends, combine);
  for (std::size_t r = 0; r < count; ++r)
    sizes[r] = (ends[r] - (r == 0 ? 0 : ends[r - 1])) * sizeof(T);
  const auto me = static_cast<std::size_t>(rank());
  const std::size_t begin = me == 0 ? 0 : ends[me - 1];
  all = gather_known(std::as_bytes(values.subspan(begin, ends[me] - begin)), sizes);
  std::memcpy(values.data(), all.data(), all.size());
}

// Each rank sends every other one its part, and adds up what it gets of its own: in the k-th step
// to the rank k places on, from the one k places back.
template <class T, class Combine>
void PeerCommunicator::reduce_parts(std::span<T> values, std::span<const std::size_t> ends,
                                    const Combine& combine) {
  const auto part = [&](int of) {
    const auto r = static_cast<std::size_t>(of);
    const std::size_t begin = r == 0 ? 0 : ends[r - 1];
    return values.subspan(begin, ends[r] - begin);
  };
  constexpr std::size_t kMost = kPiece / sizeof(T);
  const auto piece = [=](std::span<T> whole, std::size_t i) {
    const std::size_t begin = std::min(i * kMost, whole.size());
    return whole.subspan(begin, std::min(kMost, whole.size() - begin));
  };
  const std::span<T> mine = part(rank());
  std::vector<T> theirs(std::min(mine.size(), kMost));
  for (int k = 1; k < size(); ++k) {
    const std::span<T> out = part(other(k));
    for (std::size_t i = 0; i * kMost < std::max(out.size(), mine.size()); ++i) {
      const std::span<T> own = piece(mine, i);
      const std::span<T> in = std::span(theirs).first(own.size());
      exchange(std::as_bytes(piece(out, i)), other(k), std::as_writable_bytes(in), other(-k));
      for (std::size_t j = 0; j < own.size(); ++j) own[j] = combine(own[j], in[j]);
    }
  }
}

std::vector<std::size_t> PeerCommunicator::gather_sizes(std::size_t mine) {
  const auto number = static_cast<std::uint64_t>(mine);
  const std::vector<std::size_t> eight(static_cast<std::size_t>(size()), sizeof(number));
  const std::vector<std::byte> bytes = gather_known(std::as_bytes(std::span(&number, 1)), eight);
  std::vector<std::uint64_t> sizes(eight.size());
  std::memcpy(sizes.data(), bytes.data(), bytes.size());
  return {sizes.begin(), sizes.end()};
}

std::vector<std::byte> PeerCommunicator::gather(std::span<const std::byte> mine,
                                                std::vector<std::size_t>* sizes) {
  ++traffic_.calls;
  const std::vector<std::size_t> known = gather_sizes(mine.size());
  if (sizes) *sizes = known;
  return gather_known(mine, known);
}

// Bruck's: a rank knows its own share, then two, four, ... of those that follow it, since the one
// so many places on tells what it knows; at last they are put in the order of the ranks.
std::vector<std::byte> PeerCommunicator::gather_known(std::span<const std::byte> mine,
                                                      std::span<const std::size_t> sizes) {
  const auto bytes_of = [&](int first, int count) {
    std::size_t bytes = 0;
    for (int i = 0; i < count; ++i) bytes += sizes[static_cast<std::size_t>((first + i) % size())];
    return bytes;
  };
  std::vector<std::byte> known(mine.begin(), mine.end());
  known.reserve(bytes_of(0, size()));
  for (int distance = 1; distance < size(); distance *= 2) {
    const int count = std::min(distance, size() - distance);
    const std::size_t told = bytes_of(rank(), count);
    const std::size_t before = known.size();
    known.resize(before + bytes_of(rank() + distance, count));
    exchange(std::span(known).first(told), other(-distance % size()),
             std::span(known).subspan(before), other(distance));
  }
  std::rotate(known.begin(), known.end() - static_cast<std::ptrdiff_t>(bytes_of(0, rank())),
              known.end());
  return known;
}

// A tree: who has the bytes passes them on to the one half of the rest away.
void PeerCommunicator::broadcast(std::span<std::byte> bytes, int root) {
  ++traffic_.calls;
  const int place = other(-root);  // from the root on
  int step = 1;
  while (step < size() && place % (2 * step) == 0) step *= 2;
  if (place != 0) exchange({}, Peers::kNobody, bytes, other(-step));
  for (step /= 2; step > 0; step /= 2)
    if (place + step < size()) exchange(bytes, other(step), {}, Peers::kNobody);
}

std::vector<std::byte> PeerCommunicator::pass(std::vector<std::byte> bytes, int from, int to) {
  ++traffic_.calls;
  if (rank() != to && rank() != from) return {};
  if (from == to) return bytes;
  std::uint64_t size = bytes.size();
  const std::span<std::byte> number = std::as_writable_bytes(std::span(&size, 1));
  if (rank() == from) {
    exchange(number, to, {}, Peers::kNobody);
    exchange(bytes, to, {}, Peers::kNobody);
    return {};
  }
  exchange({}, Peers::kNobody, number, from);
  bytes.resize(size);
  exchange({}, Peers::kNobody, bytes, from);
  return bytes;
}

void PeerCommunicator::barrier() {
  ++traffic_.calls;
  gather_sizes(0);
}

}  // namespace simplexboost
