// Sums over rows: of what shall be scaled, of statistics vectors, and of what leaf values are made
// of.
#include "base/lane_math.h"
#include "tree/kernels/kernel_parts.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

template <std::size_t N>
LANES_INLINE void add_doubles(Float<N> values, double weight, double* sums) {
  using Double = typename VectorOf<double, N>::Type;
  store(sums, load<Double>(sums) + weight * __builtin_convertvector(values, Double));
}

template <std::size_t N>
LANES_INLINE void add_lanes(const ValueArgs& args, std::size_t row, double weight, double* sums,
                            std::size_t at) {
  const std::size_t place = row * args.width + at;
  const Float<N> pull = load<Float<N>>(args.pulls + place);
  add_doubles<N>(pull, weight, sums + at);
  add_doubles<N>(
      args.curvature ? load<Float<N>>(args.curvature + place) : pull_curvature<N>(pull, args.bend),
      weight, sums + args.width + at);
}

}  // namespace

void add_absolute(const float* values, std::size_t count, float* sums) {
  std::size_t j = 0;
  for (; j + 8 <= count; j += 8)
    store(sums + j, load<Float<8>>(sums + j) + absolute(load<Float<8>>(values + j)));
  for (; j < count; ++j) sums[j] += values[j] < 0 ? -values[j] : values[j];
}

void add_integers(const std::int32_t* values, std::size_t count, std::int32_t* sums) {
  for (std::size_t j = 0; j < count; j += 4)
    store(sums + j, load<Int<4>>(sums + j) + load<Int<4>>(values + j));
}

void add_values(const ValueArgs& args) {
  constexpr std::size_t kAhead = 8;
  constexpr std::size_t kLine = 16;
  for (std::size_t i = 0; i < args.count; ++i) {
    const std::size_t row = args.rows ? args.rows[i] : args.first + i;
    if (args.rows && i + kAhead < args.count) {
      const std::size_t ahead = args.rows[i + kAhead] * args.width;
      for (std::size_t j = 0; j < args.width; j += kLine) {
        __builtin_prefetch(args.pulls + ahead + j);
        if (args.curvature) __builtin_prefetch(args.curvature + ahead + j);
      }
    }
    const double weight = args.weights ? static_cast<double>(args.weights[row]) : 1.0;
    double* const sums =
        args.sums + (args.leaf_of_row ? args.leaf_of_row[row] * 2 * args.width : 0);
    std::size_t j = 0;
    for (; j + 8 <= args.width; j += 8) add_lanes<8>(args, row, weight, sums, j);
    if (j + 4 <= args.width) {
      add_lanes<4>(args, row, weight, sums, j);
      j += 4;
    }
    if (j + 2 <= args.width) {
      add_lanes<2>(args, row, weight, sums, j);
      j += 2;
    }
    if (j < args.width) add_lanes<1>(args, row, weight, sums, j);
  }
}

}  // namespace simplexboost::SIMPLEXBOOST_ISA
