// Products of vectors of doubles, in parts that the compiler can sum side by side: the same bits on
// every machine.
#pragma once

#include <cstddef>
#include <span>

namespace simplexboost {

inline double dot(const double* a, const double* b, std::size_t size) {
  constexpr std::size_t kParts = 8;
  double parts[kParts] = {};
  std::size_t i = 0;
  for (; i + kParts <= size; i += kParts)
    for (std::size_t j = 0; j < kParts; ++j) parts[j] += a[i + j] * b[i + j];
  for (std::size_t j = 0; i < size; ++i, ++j) parts[j] += a[i] * b[i];
  return ((parts[0] + parts[4]) + (parts[1] + parts[5])) +
         ((parts[2] + parts[6]) + (parts[3] + parts[7]));
}

inline double dot(std::span<const double> a, std::span<const double> b) {
  return dot(a.data(), b.data(), a.size());
}

}  // namespace simplexboost
