#include "loss/math/vector_math.h"

#include "base/simd/isa.h"
#include "loss/math/vector_math_kernels.h"

namespace simplexboost {

SIMPLEXBOOST_ISA_COPIES(VectorMathKernels, kVectorMath)

namespace {

const VectorMathKernels& kernels() {
  static const VectorMathKernels& chosen = SIMPLEXBOOST_ISA_CHOICE(kVectorMath);
  return chosen;
}

}  // namespace

void vector_exp(const float* in, float* out, std::size_t size) { kernels().exp(in, out, size); }

}  // namespace simplexboost
