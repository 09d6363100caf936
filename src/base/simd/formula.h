// What marks a formula: code over a number type (lanes.h) that vector loops, ordinary code and a
// CUDA compiler share.
#pragma once

// Inlined whatever it costs, so that no copy for one instruction level can serve another (isa.h).
#if defined(__CUDACC__)
#define LANES_INLINE __host__ __device__ __forceinline__
#else
#define LANES_INLINE inline __attribute__((always_inline))
#endif

// The namespace of formulas in code that has no instruction level.
#ifndef SIMPLEXBOOST_ISA
#define SIMPLEXBOOST_ISA plain
#endif
