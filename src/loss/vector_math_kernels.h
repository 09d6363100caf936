// The copies of vector_math.h's loops, one for each level of vector instructions (base/isa.h).
#pragma once

#include <cstddef>

namespace simplexboost {

struct VectorMathKernels {
  void (*exp)(const float* in, float* out, std::size_t size);
  void (*softmax_rows)(const float* in, float* out, std::size_t rows, std::size_t columns,
                       float rate);
};

}  // namespace simplexboost
