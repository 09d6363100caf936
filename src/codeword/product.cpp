#include "codeword/product.h"

#include "base/simd/isa.h"

namespace simplexboost {

SIMPLEXBOOST_ISA_COPIES(ProductKernel, kProductKernel)

void multiply(const ProductMatrix& matrix, const float* in, std::size_t rows, float* out) {
  static const ProductKernel& chosen = SIMPLEXBOOST_ISA_CHOICE(kProductKernel);
  chosen.multiply(matrix, product_stride(matrix.width), in, rows, out);
}

}  // namespace simplexboost
