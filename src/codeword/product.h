// Blocks of rows times a codeword matrix, with the widest vectors of the machine. All instruction
// levels and all sizes of blocks give the same bits.
#pragma once

#include <cstddef>

namespace simplexboost {

// Rows of the matrix lie this far apart, the rest of each filled with zeros.
inline constexpr std::size_t kProductLanes = 8;
constexpr std::size_t product_stride(std::size_t width) {
  return (width + kProductLanes - 1) / kProductLanes * kProductLanes;
}

struct ProductMatrix {
  const float* values;  // inner x product_stride(width)
  std::size_t inner;
  std::size_t width;
};

// out = in * matrix: `in` is rows x inner, `out` rows x width, both without gaps.
void multiply(const ProductMatrix& matrix, const float* in, std::size_t rows, float* out);

// The copies for the instruction levels (product_isa.cpp).
struct ProductKernel {
  void (*multiply)(const ProductMatrix& matrix, std::size_t stride, const float* in,
                   std::size_t rows, float* out);
};

}  // namespace simplexboost
