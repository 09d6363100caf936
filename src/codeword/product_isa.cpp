#include "base/simd/lanes.h"
#include "codeword/product.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

// A matrix row is loaded once for so many rows of the block.
constexpr std::size_t kRowsAtOnce = 4;

template <std::size_t Rows>
void multiply_rows(const ProductMatrix& matrix, std::size_t stride, const float* in, float* out) {
  using Lanes = Float<kProductLanes>;
  for (std::size_t c = 0; c < matrix.width; c += kProductLanes) {
    Lanes sums[Rows] = {};
    for (std::size_t j = 0; j < matrix.inner; ++j) {
      const auto row = load<Lanes>(matrix.values + j * stride + c);
      for (std::size_t r = 0; r < Rows; ++r) sums[r] += in[r * matrix.inner + j] * row;
    }
    const std::size_t left = matrix.width - c;
    for (std::size_t r = 0; r < Rows; ++r) {
      float* place = out + r * matrix.width + c;
      if (left >= kProductLanes) {
        store(place, sums[r]);
      } else {
        for (std::size_t lane = 0; lane < left; ++lane) place[lane] = sums[r][lane];
      }
    }
  }
}

void multiply(const ProductMatrix& matrix, std::size_t stride, const float* in, std::size_t rows,
              float* out) {
  std::size_t i = 0;
  for (; i + kRowsAtOnce <= rows; i += kRowsAtOnce)
    multiply_rows<kRowsAtOnce>(matrix, stride, in + i * matrix.inner, out + i * matrix.width);
  for (; i < rows; ++i)
    multiply_rows<1>(matrix, stride, in + i * matrix.inner, out + i * matrix.width);
}

}  // namespace

extern const ProductKernel kProductKernel;
const ProductKernel kProductKernel = {multiply};

}  // namespace simplexboost::SIMPLEXBOOST_ISA
