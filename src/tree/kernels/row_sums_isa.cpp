// Sums over rows: of what shall be scaled, of statistics vectors, and of what leaf values are made
// of.
#include "base/simd/lane_math.h"
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
  const auto pull = load<Float<N>>(args.pulls + place);
  add_doubles<N>(pull, weight, sums + at);
  add_doubles<N>(args.curvature ? load<Float<N>>(args.curvature + place)
                                : pull_curvature(pull, args.curvature_factor),
                 weight, sums + args.width + at);
}

// w p: r - g of the class whose slope alone is positive, and -g of the others.
template <std::size_t N>
LANES_INLINE Float<N> shares_of(Float<N> pulls, float weight) {
  return select(pulls > 0, weight - pulls, -pulls);
}

template <std::size_t N>
LANES_INLINE void add_product_lanes(const float* pulls, float p, float weight, double factor,
                                    double* sums) {
  add_doubles<N>(p * shares_of<N>(load<Float<N>>(pulls), weight), factor, sums);
}

LANES_INLINE void take_lanes(double* sums, std::size_t count, double start, std::int64_t* units) {
  using Double = typename VectorOf<double, 4>::Type;
  using Long = typename VectorOf<std::uint64_t, 4>::Type;  // sums of what is not finite wrap
  const Double starts = Double{} + start;
  const Long start_bits = __builtin_bit_cast(Long, starts);
  std::size_t j = 0;
  for (; j + 4 <= count; j += 4) {
    store(units + j, load<Long>(units + j) + (load<Long>(sums + j) - start_bits));
    store(sums + j, starts);
  }
  for (; j < count; ++j) {
    units[j] =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(units[j]) +
                                  __builtin_bit_cast(std::uint64_t, sums[j]) - start_bits[0]);
    sums[j] = start;
  }
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

void add_bins(const std::int32_t* values, std::size_t bins, std::size_t channels,
              std::int32_t* sums) {
  std::size_t j = 0;
  for (; j + 8 <= channels; j += 8) {
    auto all = load<Int<8>>(sums + j);
    for (std::size_t b = 0; b < bins; ++b) all += load<Int<8>>(values + b * channels + j);
    store(sums + j, all);
  }
  for (; j < channels; j += 4) {
    auto all = load<Int<4>>(sums + j);
    for (std::size_t b = 0; b < bins; ++b) all += load<Int<4>>(values + b * channels + j);
    store(sums + j, all);
  }
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
    const double weight =
        args.weights ? args.factor * static_cast<double>(args.weights[row]) : args.factor;
    double* const sums =
        args.sums + (args.leaf_of_row ? std::size_t{2} * args.leaf_of_row[row] * args.width : 0);
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

void add_products(const ProductArgs& args) {
  for (std::size_t i = 0; i < args.count; ++i) {
    const float* const pulls = args.pulls + args.rows[i] * args.width;
    const float weight = args.weights[args.rows[i]];
    if (!(weight > 0)) continue;
    const float pull = pulls[args.k];
    const float p = (pull > 0 ? weight - pull : -pull) / weight;
    std::size_t j = 0;
    for (; j + 8 <= args.width; j += 8)
      add_product_lanes<8>(pulls + j, p, weight, args.factor, args.sums + j);
    if (j + 4 <= args.width) {
      add_product_lanes<4>(pulls + j, p, weight, args.factor, args.sums + j);
      j += 4;
    }
    for (; j < args.width; ++j)
      add_product_lanes<1>(pulls + j, p, weight, args.factor, args.sums + j);
  }
}

void take_values(const TakeArgs& args) {
  for (std::size_t leaf = 0; leaf < args.leaves; ++leaf) {
    const std::size_t pulls = leaf * 2 * args.width;
    const std::size_t curvatures = pulls + args.width;
    take_lanes(args.sums + pulls, args.width, args.pull_start, args.units + pulls);
    take_lanes(args.sums + curvatures, args.width, args.curvature_start, args.units + curvatures);
  }
}

// As integers, the bits of sizes are in the order of the sizes, NaN above all.
float largest_size(const float* values, std::size_t count) {
  Int<8> most{};
  std::size_t j = 0;
  for (; j + 8 <= count; j += 8) most = maximum(most, load<Int<8>>(values + j) & 0x7fffffff);
  std::int32_t all = 0;
  for (std::size_t i = 0; i < 8; ++i) all = most[i] > all ? most[i] : all;
  for (; j < count; ++j) {
    const std::int32_t size = __builtin_bit_cast(std::int32_t, values[j]) & 0x7fffffff;
    all = size > all ? size : all;
  }
  constexpr std::int32_t kInfinite = 0x7f800000;
  return __builtin_bit_cast(float, all < kInfinite ? all : kInfinite);
}

}  // namespace simplexboost::SIMPLEXBOOST_ISA
