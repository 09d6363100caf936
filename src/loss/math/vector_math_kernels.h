// The copies of vector_math.h's loop, one for each level of vector instructions (base/simd/isa.h).
#pragma once

#include <cstddef>

namespace simplexboost {

struct VectorMathKernels {
  void (*exp)(const float* in, float* out, std::size_t size);
};

}  // namespace simplexboost
