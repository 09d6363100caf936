// Random numbers that are the same on every machine and compiler: the standard library's
// distributions are not. A stream is named by a seed and a purpose, so that parts of a program
// that draw do not disturb each other.
#pragma once

#include <cstdint>
#include <utility>

namespace simplexboost {

// xoshiro256** (Blackman and Vigna 2018), seeded through splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t next();
  double uniform();                          // [0, 1), 53 bits
  double normal();                           // mean 0, variance 1
  std::uint64_t below(std::uint64_t bound);  // [0, bound), without bias; bound > 0

  // Fisher-Yates.
  template <class Container>
  void shuffle(Container& items) {
    for (std::uint64_t i = items.size(); i > 1; --i) {
      using std::swap;
      swap(items[i - 1], items[below(i)]);
    }
  }

 private:
  std::uint64_t state_[4];
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace simplexboost
