// Fetching into the cache what a loop over scattered rows will need shortly: the machine foresees
// only rows that follow each other.
#pragma once

#include <cstddef>

namespace simplexboost {

// How far ahead of its rows a loop should ask.
inline constexpr std::size_t kRowsAhead = 16;

// `count` values from `place` on.
template <class T>
inline void prefetch(const T* place, std::size_t count) {
  constexpr std::size_t kLine = 64 / sizeof(T);
  for (std::size_t i = 0; i < count; i += kLine) __builtin_prefetch(place + i);
}

}  // namespace simplexboost
