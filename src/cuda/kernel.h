// What kernels are written in. A kernel is a struct of plain numbers and pointers into the memory
// of a device, with one function: what a thread of a block does in a phase. Between phases all
// threads of the block wait for each other. So the same text is compiled for a GPU and, as loops
// over blocks and threads, for the tests of every build (device.h).
//
//   struct Kernel {
//     static constexpr const char* kName;    for people
//     static constexpr unsigned kThreads;    of a block
//     struct Local {};                       of a thread, kept from phase to phase
//     std::size_t shared_bytes() const;      memory that the threads of a block share
//     unsigned phases() const;
//     void operator()(unsigned phase, const KernelThread& self, void* shared, Local& local) const;
//   };
//
// Blocks know nothing of each other but for sums of integers and maxima, which have no order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/simd/formula.h"

namespace simplexboost {

struct KernelThread {
  std::size_t block;
  unsigned thread;
};

struct NoLocal {};

// These return nothing: what was there before depends on who came first.
LANES_INLINE void atomic_add(std::int32_t* place, std::int32_t value) {
#if defined(__CUDA_ARCH__)
  atomicAdd(place, value);
#else
  *place += value;
#endif
}
LANES_INLINE void atomic_add(std::int64_t* place, std::int64_t value) {
#if defined(__CUDA_ARCH__)
  atomicAdd(reinterpret_cast<unsigned long long*>(place), static_cast<unsigned long long>(value));
#else
  *place = static_cast<std::int64_t>(static_cast<std::uint64_t>(*place) +
                                     static_cast<std::uint64_t>(value));
#endif
}
LANES_INLINE void atomic_max(std::int32_t* place, std::int32_t value) {
#if defined(__CUDA_ARCH__)
  atomicMax(place, value);
#else
  if (value > *place) *place = value;
#endif
}

// Integers in the order of the floats, and back.
LANES_INLINE std::int32_t ordered_bits(float x) {
  const auto bits = __builtin_bit_cast(std::int32_t, x);
  return bits < 0 ? bits ^ 0x7fffffff : bits;
}
LANES_INLINE float from_ordered_bits(std::int32_t bits) {
  return __builtin_bit_cast(float, bits < 0 ? bits ^ 0x7fffffff : bits);
}

}  // namespace simplexboost
