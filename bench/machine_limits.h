// What the machine can do at best, measured beside each kernel so that a busy or throttled machine
// slows both: the rate of copying large memory, and of adding vectors to memory in the first cache.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "base/aligned_vector.h"

namespace simplexboost {

// Seconds that `work` takes, the least of a few tries.
template <class Work>
double least_seconds(int tries, const Work& work) {
  double least = std::numeric_limits<double>::max();
  for (int i = 0; i < tries; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    least = std::min(least, taken.count());
  }
  return least;
}

// Bytes read and written a second by one core copying far more than the caches hold.
inline double copy_bandwidth() {
  constexpr std::size_t kSize = 128 << 20;
  static const std::vector<char> kFrom(kSize, 1);
  static std::vector<char> to(kSize);
  return 2.0 * kSize / least_seconds(3, [] { std::memcpy(to.data(), kFrom.data(), kSize); });
}

// The vectors of the kernels: eight 32-bit lanes. They come in eights (`size`).
using AddVector __attribute__((vector_size(32), aligned(4), may_alias)) = std::int32_t;

#if defined(__x86_64__)
__attribute__((target_clones("avx2", "default")))
#endif
inline void
add_to_memory(AddVector* buffer, std::size_t size, int times) {
  const AddVector one = AddVector{} + 1;
  for (int time = 0; time < times; ++time) {
    for (std::size_t i = 0; i < size; i += 8)
      for (std::size_t j = 0; j < 8; ++j) buffer[i + j] += one;
    asm volatile("" : : : "memory");
  }
}

// Vectors that one core loads, adds to and stores a second, all in its first cache.
inline double add_rate() {
  constexpr std::size_t kVectors = 512;
  constexpr int kTimes = 2000;
  static AlignedVector<std::int32_t> buffer(kVectors * 8);
  auto* vectors = reinterpret_cast<AddVector*>(buffer.data());
  return kVectors * kTimes / least_seconds(5, [&] { add_to_memory(vectors, kVectors, kTimes); });
}

// Vectors that hold so many 32-bit numbers.
constexpr std::size_t vectors_of(std::size_t channels) { return (channels + 7) / 8; }

// Tells the reporter what the limit is, and how far from it the loop just timed was.
class Limit {
 public:
  Limit(benchmark::State& state, double seconds) : state_(state), seconds_(seconds) {
    start_ = std::chrono::steady_clock::now();
  }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;
  ~Limit() {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
    const double each = taken.count() / static_cast<double>(state_.iterations());
    state_.counters["limit_ns"] = seconds_ * 1e9;
    state_.counters["ratio"] = each / seconds_;
  }

 private:
  benchmark::State& state_;
  double seconds_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace simplexboost
