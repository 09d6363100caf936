// exp and softmax over arrays, one copy for each instruction level (see base/isa.h).
#include "base/lane_math.h"
#include "loss/vector_math_kernels.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

using Lanes = Float<8>;

LANES_INLINE Lanes load_padded(const float* place, std::size_t left, float padding) {
  if (left >= 8) return load<Lanes>(place);
  Lanes x = fill_lanes<8>(padding);
  for (std::size_t j = 0; j < left; ++j) x[j] = place[j];
  return x;
}
LANES_INLINE void store_first(float* place, Lanes x, std::size_t left) {
  if (left >= 8) return store(place, x);
  for (std::size_t j = 0; j < left; ++j) place[j] = x[j];
}

void vector_exp(const float* in, float* out, std::size_t size) {
  for (std::size_t i = 0; i < size; i += 8)
    store_first(out + i, exp_lanes<8>(load_padded(in + i, size - i, 0)), size - i);
}

void softmax_row(const float* in, float* out, std::size_t size, float rate) {
  Lanes most = fill_lanes<8>(-kInfinity);
  for (std::size_t i = 0; i < size; i += 8)
    most = maximum(most, load_padded(in + i, size - i, -kInfinity));
  const float top = largest(most);
  Lanes sums{};
  for (std::size_t i = 0; i < size; i += 8) {
    const Lanes term = exp_lanes<8>(rate * (load_padded(in + i, size - i, -kInfinity) - top));
    store_first(out + i, term, size - i);
    sums += term;
  }
  const float whole = sum(sums);
  for (std::size_t i = 0; i < size; i += 8)
    store_first(out + i, load_padded(out + i, size - i, 0) / whole, size - i);
}

void softmax_rows(const float* in, float* out, std::size_t rows, std::size_t columns, float rate) {
  for (std::size_t i = 0; i < rows; ++i)
    softmax_row(in + i * columns, out + i * columns, columns, rate);
}

}  // namespace

extern const VectorMathKernels kVectorMath;
const VectorMathKernels kVectorMath{vector_exp, softmax_rows};

}  // namespace simplexboost::SIMPLEXBOOST_ISA
