// The maps of codewords (codeword/codebook.h) on a device, a row a thread.
#pragma once

#include "codeword/codebook.h"
#include "codeword/codeword_rows.h"
#include "cuda/kernel.h"

namespace simplexboost {

// In the memory of a device, what Codebook::tables() has.
struct CodewordTables {
  CodebookKind kind;
  std::uint32_t classes;
  std::uint32_t dimension;
  std::uint32_t stride;             // of `half`
  std::uint32_t transposed_stride;  // of `half_transposed`
  const float* half_diagonal;
  const float* half_below;
  const float* half;
  const float* half_transposed;

  LANES_INLINE void class_scores(const float* f, float* u) const {
    switch (kind) {
      case CodebookKind::kSimplex:
        return simplex_class_scores_of<1>(half_diagonal, half_below, dimension, f, u);
      case CodebookKind::kCanonical: return halve_of(classes, f, u);
      case CodebookKind::kOneVsAll: return subtract_half_sum_of(classes, f, u);
      default: return multiply(half_transposed, transposed_stride, f, dimension, u, classes);
    }
  }
  LANES_INLINE void pulls(const float* class_pulls, float* pulls) const {
    switch (kind) {
      case CodebookKind::kSimplex:
        return simplex_pulls_of<1>(half_diagonal, half_below, dimension, class_pulls, pulls);
      case CodebookKind::kCanonical: return halve_of(classes, class_pulls, pulls);
      case CodebookKind::kOneVsAll: return subtract_half_sum_of(classes, class_pulls, pulls);
      default: return multiply(half, stride, class_pulls, classes, pulls, dimension);
    }
  }

 private:
  // A row of the product of codeword/product.h, in its order.
  static LANES_INLINE void multiply(const float* matrix, std::uint32_t apart, const float* in,
                                    std::uint32_t inner, float* out, std::uint32_t width) {
    for (std::uint32_t c = 0; c < width; ++c) {
      float sum = 0;
      for (std::uint32_t j = 0; j < inner; ++j) sum += in[j] * matrix[std::size_t{j} * apart + c];
      out[c] = sum;
    }
  }
};

struct MapScores {
  static constexpr const char* kName = "map scores";
  static constexpr unsigned kThreads = 64;
  using Local = NoLocal;
  CodewordTables codewords;
  std::size_t rows;
  const float* scores;  // rows x dimension
  float* class_scores;  // rows x classes

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t row = self.block * kThreads + self.thread;
    if (row < rows)
      codewords.class_scores(scores + row * codewords.dimension,
                             class_scores + row * codewords.classes);
  }
};

struct PullBack {
  static constexpr const char* kName = "pull back";
  static constexpr unsigned kThreads = 64;
  using Local = NoLocal;
  CodewordTables codewords;
  std::size_t rows;
  const float* class_pulls;  // rows x classes
  float* pulls;              // rows x dimension

  LANES_INLINE std::size_t shared_bytes() const { return 0; }
  LANES_INLINE unsigned phases() const { return 1; }
  LANES_INLINE void operator()(unsigned, const KernelThread& self, void*, Local&) const {
    const std::size_t row = self.block * kThreads + self.thread;
    if (row < rows)
      codewords.pulls(class_pulls + row * codewords.classes, pulls + row * codewords.dimension);
  }
};

}  // namespace simplexboost
