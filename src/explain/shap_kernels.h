// The inner loops of Shapley values, once for each instruction level (shap_isa.cpp). All levels
// give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simplexboost {

// Rows that go through a tree side by side, and numbers in a vector.
inline constexpr std::size_t kShapRows = 32;
inline constexpr std::size_t kShapLanes = 8;
// Features on the way to a leaf whose answers fit into a word.
inline constexpr std::size_t kWordBits = 64;

// Bits [0, count) of the word `w`.
constexpr std::uint64_t word_mask(std::size_t count, std::size_t w) {
  const std::size_t before = w * kWordBits;
  const std::size_t left = count > before ? count - before : 0;
  return left >= kWordBits ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
}

constexpr std::size_t shap_stride(std::size_t columns) {
  return (columns + kShapLanes - 1) / kShapLanes * kShapLanes;
}

// A leaf, the `count` features on its path, and for each row a word whose bit j tells whether the
// row's own value of feature j leads there.
struct LeafPaths {
  const std::uint64_t* answers = nullptr;  // kShapRows
  std::size_t count = 0;                   // up to kWordBits
  const double* shares = nullptr;          // of the rows without feature j that go that way
  const std::uint32_t* places = nullptr;   // of the results, in lines of kShapRows
  // Gauss-Legendre on [0, 1], exact for polynomials of degree `count` - 1.
  std::size_t points = 0;
  const double* point = nullptr;
  const double* weight = nullptr;
};

// An entry of a product: a line of weights, and the leaf whose values it multiplies.
struct ShapEntry {
  std::uint32_t line;
  std::uint32_t leaf;
};

// The sum over all entries of line x values of its leaf goes to each row's `out`.
struct LeafProduct {
  const double* lines = nullptr;  // kShapRows numbers each
  const ShapEntry* entries = nullptr;
  std::size_t count = 0;
  const double* values = nullptr;  // leaves x stride
  std::size_t stride = 0;          // a multiple of kShapLanes, `columns` at least
  std::size_t columns = 0;
  std::size_t first_row = 0;  // of the lines
  std::size_t rows = 0;
  double* out = nullptr;  // of the first row
  std::size_t row_stride = 0;
  bool fresh = false;  // what `out` holds is nothing; else the sums are added to it
};

struct ShapKernels {
  // The weights of a leaf in the values of the features on its path: a line for each.
  void (*feature_weights)(const LeafPaths& paths, double* lines);
  // And in their interactions: a line for each pair i < j, in order.
  void (*pair_weights)(const LeafPaths& paths, double* lines);
  void (*multiply)(const LeafProduct& product);
  // So many values of a leaf, times a factor.
  void (*scale_floats)(const float* values, std::size_t count, double factor, double* to);
  void (*scale_shorts)(const std::uint16_t* values, std::size_t count, double factor, double* to);
};

const ShapKernels& shap_kernels();

}  // namespace simplexboost
