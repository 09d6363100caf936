// From numbers to the integers that histograms sum.
#include "tree/kernels/kernel_parts.h"
#include "tree/kernels/rounding.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

template <std::size_t N>
LANES_INLINE void quantise_lanes(const float* values, float scale, std::int32_t* out) {
  store(out, __builtin_convertvector(before_rounding(load<Float<N>>(values), scale), Int<N>));
}

// At least N values: the last ones in a vector that may overlap the one before.
template <std::size_t N>
LANES_INLINE void quantise_run(const float* values, std::size_t count, float scale,
                               std::int32_t* out) {
  for (std::size_t j = 0; j + N <= count; j += N) quantise_lanes<N>(values + j, scale, out + j);
  quantise_lanes<N>(values + count - N, scale, out + count - N);
}

}  // namespace

void quantise(const float* values, std::size_t count, float scale, std::int32_t* out) {
  if (count >= 8) return quantise_run<8>(values, count, scale, out);
  if (count >= 4) return quantise_run<4>(values, count, scale, out);
  for (std::size_t j = 0; j < count; ++j) quantise_lanes<1>(values + j, scale, out + j);
}

void quantise_scalars(const float* weights, const float* pulls, std::size_t count,
                      float weight_scale, float pull_scale, std::int32_t* out) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    std::int32_t w[8];
    std::int32_t g[8];
    quantise_lanes<8>(weights + i, weight_scale, w);
    quantise_lanes<8>(pulls + i, pull_scale, g);
    for (std::size_t j = 0; j < 8; ++j) store(out + 4 * (i + j), Int<4>{1, w[j], g[j], 0});
  }
  for (; i < count; ++i) {
    std::int32_t w;
    std::int32_t g;
    quantise_lanes<1>(weights + i, weight_scale, &w);
    quantise_lanes<1>(pulls + i, pull_scale, &g);
    store(out + 4 * i, Int<4>{1, w, g, 0});
  }
}

}  // namespace simplexboost::SIMPLEXBOOST_ISA
