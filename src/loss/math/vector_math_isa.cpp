// exp over arrays, one copy for each instruction level (see base/simd/isa.h).
#include "base/simd/lane_math.h"
#include "loss/math/vector_math_kernels.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

using Lanes = Float<8>;

LANES_INLINE Lanes load_padded(const float* place, std::size_t left, float padding) {
  if (left >= 8) return load<Lanes>(place);
  auto x = fill<Lanes>(padding);
  for (std::size_t j = 0; j < left; ++j) x[j] = place[j];
  return x;
}
LANES_INLINE void store_first(float* place, Lanes x, std::size_t left) {
  if (left >= 8) return store(place, x);
  for (std::size_t j = 0; j < left; ++j) place[j] = x[j];
}

void vector_exp(const float* in, float* out, std::size_t size) {
  for (std::size_t i = 0; i < size; i += 8)
    store_first(out + i, exp_of(load_padded(in + i, size - i, 0)), size - i);
}

}  // namespace

extern const VectorMathKernels kVectorMath;
const VectorMathKernels kVectorMath{vector_exp};

}  // namespace simplexboost::SIMPLEXBOOST_ISA
