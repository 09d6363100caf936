// Copies that go past the caches, for buffers that one loop writes and every thread reads in the
// next. Lines that other cores have read must be taken back from them before they are written anew,
// one by one; streamed ones need not (measured by bench/grow_tree: a seventh of the time).
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace simplexboost {

// `out` stands on a multiple of 16 bytes, `count` is a multiple of 4. Other threads see what was
// copied after stream_fence() and whatever passes the work on to them.
inline void stream_copy(const std::int32_t* values, std::size_t count, std::int32_t* out) {
  assert(reinterpret_cast<std::uintptr_t>(out) % 16 == 0 && count % 4 == 0);
#if defined(__SSE2__)
  for (std::size_t i = 0; i < count; i += 4)
    _mm_stream_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(values + i)));
#else
  std::memcpy(out, values, count * sizeof(std::int32_t));
#endif
}

inline void stream_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace simplexboost
