// One copy for each instruction level (see base/simd/isa.h).
#include "base/simd/lane_math.h"
#include "optimizer/target/projection.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

// Rows that are done together: each vector of the matrix is read once for them, and their sums do
// not wait for each other.
template <std::size_t Rows>
LANES_INLINE void project_some(const ProjectionArgs& args, std::size_t first) {
  const float* const in = args.in + first * args.depth;
  float* const out = args.out + first * args.width;
  for (std::size_t s = 0; s < args.width; s += 8) {
    Float<8> sums[Rows] = {};
    for (std::size_t j = 0; j < args.depth; ++j) {
      const auto column = load<Float<8>>(args.matrix + j * args.stride + s);
      for (std::size_t r = 0; r < Rows; ++r) sums[r] += column * in[r * args.depth + j];
    }
    const std::size_t left = args.width - s < 8 ? args.width - s : 8;
    for (std::size_t r = 0; r < Rows; ++r)
      for (std::size_t t = 0; t < left; ++t) out[r * args.width + s + t] = sums[r][t];
  }
}

void project(const ProjectionArgs& args) {
  constexpr std::size_t kRows = 8;
  std::size_t i = 0;
  for (; i + kRows <= args.rows; i += kRows) project_some<kRows>(args, i);
  for (; i < args.rows; ++i) project_some<1>(args, i);
}

// `left`: numbers from the row's first to the last of all rows.
template <std::size_t N>
LANES_INLINE void halve_row(float* row, std::size_t depth, std::size_t left, float factor,
                            float* curvature) {
  Float<N> sums{};
  std::size_t j = 0;
  for (; j + N <= depth; j += N) {
    const Float<N> pull = 0.5F * load<Float<N>>(row + j);
    store(row + j, pull);
    sums += pull_curvature(pull, factor);
  }
  if (j < depth) {
    // A vector that reaches into the next row, or a copy where there is none.
    float buffer[N] = {};
    for (std::size_t t = j; left - j < N && t < depth; ++t) buffer[t - j] = row[t];
    const Float<N> pull = 0.5F * load<Float<N>>(left - j < N ? buffer : row + j);
    store_first(row + j, pull, depth - j);
    Int<N> lane;
    for (std::size_t i = 0; i < N; ++i) lane[i] = static_cast<std::int32_t>(i);
    sums += select(lane < static_cast<std::int32_t>(depth - j), pull_curvature(pull, factor),
                   Float<N>{});
  }
  *curvature = sum(sums);
}

void halve(float* pulls, std::size_t rows, std::size_t depth, float factor, float* curvatures) {
  for (std::size_t i = 0; i < rows; ++i) {
    float* const row = pulls + i * depth;
    const std::size_t left = (rows - i) * depth;
    if (depth <= 8) {
      halve_row<8>(row, depth, left, factor, curvatures + i);
    } else {
      halve_row<16>(row, depth, left, factor, curvatures + i);
    }
  }
}

}  // namespace

extern const PullKernels kPullKernels;
const PullKernels kPullKernels = {project, halve};

}  // namespace simplexboost::SIMPLEXBOOST_ISA
