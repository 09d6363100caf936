// One copy for each instruction level (see base/simd/isa.h).
#include "base/simd/lanes.h"
#include "model/predict/node_mask_kernels.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

// --- Which leaf ------------------------------------------------------------------------------

// Rows to a vector, as wide as the level has them.
#if defined(__AVX512BW__)
constexpr std::size_t kLanes = 64;
#elif defined(__AVX2__)
constexpr std::size_t kLanes = 32;
#else
constexpr std::size_t kLanes = 16;
#endif
using Byte = typename VectorOf<std::int8_t, kLanes>::Type;

constexpr std::int8_t signed_byte(unsigned bits) { return static_cast<std::int8_t>(bits); }

// The number of the lowest bit that is set.
LANES_INLINE Byte lowest_bit(Byte word) {
  const Byte bit = word & -word;
  const auto add_if = [&](unsigned bits, std::int8_t number) {
    return Byte((bit & signed_byte(bits)) != 0) & number;
  };
  return add_if(0xaa, 1) | add_if(0xcc, 2) | add_if(0xf0, 4);
}

// G vectors of rows, word by word of their sets of leaves. The words come from the last to the
// first, and each that is not empty takes the place of those before.
template <std::size_t G>
LANES_INLINE void find_some(const LeafArgs& args, std::size_t row) {
  Byte found[G] = {};
  Byte base[G] = {};
  for (std::size_t w = args.words; w-- > 0;) {
    Byte set[G];
    for (Byte& group : set) group = ~Byte{};
    const MaskStep* const end = args.steps + args.word_ends[w];
    for (const MaskStep* step = args.steps + (w == 0 ? 0 : args.word_ends[w - 1]); step != end;
         ++step) {
      const std::int8_t* const ranks = args.ranks + step->column * args.rows + row;
      const auto kept = Byte{} + signed_byte(step->kept);
      const auto rank = Byte{} + step->rank;
      for (std::size_t g = 0; g < G; ++g)
        set[g] &= Byte(load<Byte>(ranks + g * kLanes) <= rank) | kept;
    }
    for (std::size_t g = 0; g < G; ++g) {
      const auto here = Byte(set[g] != 0);
      found[g] = set[g] | (found[g] & ~here);
      base[g] = (signed_byte(static_cast<unsigned>(8 * w)) & here) | (base[g] & ~here);
    }
  }
  for (std::size_t g = 0; g < G; ++g)
    store(args.leaves + row + g * kLanes, base[g] | lowest_bit(found[g]));
}

// Four vectors at a time: what a step says is spread over a vector once for all of them.
void find_leaves(const LeafArgs& args) {
  std::size_t row = 0;
  for (; row + 4 * kLanes <= args.rows; row += 4 * kLanes) find_some<4>(args, row);
  for (; row < args.rows; row += 2 * kLanes) find_some<2>(args, row);
}

// --- Ranks -----------------------------------------------------------------------------------

// Values go side by side, so that none waits for the search of another.
void set_ranks(const RankArgs& args) {
  constexpr std::size_t kAtOnce = 32;
  for (std::size_t row = 0; row < args.rows; row += kAtOnce) {
    const double* const values = args.values + row;
    std::int32_t below[kAtOnce];
    for (std::size_t k = 0; k < kAtOnce; ++k) {
      const double place = (values[k] - args.low) * args.scale;
      const double above = place > 0 ? place : 0;
      below[k] = static_cast<std::int32_t>(above < kRankCells - 1 ? above : kRankCells - 1);
    }
    for (std::int32_t& cell : below) cell = args.starts[cell];
    for (std::size_t left = args.most; left > 0;) {
      const auto half = static_cast<std::int32_t>((left + 1) / 2);
      const double* const middle = args.thresholds + (half - 1);
      for (std::size_t k = 0; k < kAtOnce; ++k) below[k] += values[k] > middle[below[k]] ? half : 0;
      left -= static_cast<std::size_t>(half);
    }
    for (std::size_t k = 0; k < kAtOnce; ++k)
      args.ranks[row + k] =
          values[k] == values[k] ? static_cast<std::int8_t>(below[k] - 128) : args.missing;
  }
}

// --- What it says ----------------------------------------------------------------------------

template <std::size_t N>
LANES_INLINE Float<N> load_values(const float* values) {
  return load<Float<N>>(values);
}
// The upper half of a float each.
template <std::size_t N>
LANES_INLINE Float<N> load_values(const std::uint16_t* values) {
  using Half = typename VectorOf<std::uint16_t, N>::Type;
  const auto bits = __builtin_convertvector(load<Half>(values), Natural<N>) << 16;
  return __builtin_bit_cast(Float<N>, bits);
}

// R rows from `row` on, V vectors of N outputs, at least N of them: the last vector may overlap the
// one before, and both add the same.
template <std::size_t N, std::size_t V, std::size_t R, class Value>
LANES_INLINE void add_to_rows(const LeafSumArgs<Value>& args, std::size_t first, std::size_t last,
                              std::size_t row) {
  const auto at = [&](std::size_t v) { return v + 1 < V ? first + v * N : last; };
  float* const out = args.out + row * args.outputs;
  Float<N> sums[R][V];
  for (std::size_t r = 0; r < R; ++r)
    for (std::size_t v = 0; v < V; ++v) sums[r][v] = load<Float<N>>(out + r * args.outputs + at(v));
  for (std::size_t t = 0; t < args.trees; ++t)
    for (std::size_t r = 0; r < R; ++r) {
      const Value* const values =
          args.values + args.places[t][args.leaves[t * args.stride + row + r]];
      for (std::size_t v = 0; v < V; ++v) sums[r][v] += load_values<N>(values + at(v));
    }
  for (std::size_t r = 0; r < R; ++r)
    for (std::size_t v = 0; v < V; ++v) store(out + r * args.outputs + at(v), sums[r][v]);
}

// Rows by pairs: their sums do not wait for each other.
template <std::size_t N, std::size_t V, class Value>
LANES_INLINE void add_vectors(const LeafSumArgs<Value>& args, std::size_t first,
                              std::size_t count) {
  const std::size_t last = first + count - N;
  std::size_t row = 0;
  for (; row + 2 <= args.rows; row += 2) add_to_rows<N, V, 2>(args, first, last, row);
  if (row < args.rows) add_to_rows<N, V, 1>(args, first, last, row);
}

template <class Value>
LANES_INLINE void add_single(const LeafSumArgs<Value>& args) {
  for (std::size_t i = 0; i < args.rows; ++i)
    for (std::size_t j = 0; j < args.width; ++j) {
      float sum = args.out[i * args.outputs + j];
      for (std::size_t t = 0; t < args.trees; ++t)
        sum +=
            load_values<1>(args.values + args.places[t][args.leaves[t * args.stride + i]] + j)[0];
      args.out[i * args.outputs + j] = sum;
    }
}

template <class Value>
void add_leaves(const LeafSumArgs<Value>& args) {
  if (args.width < 4) return add_single(args);
  if (args.width < 8) return add_vectors<4, 2>(args, 0, args.width);
  if (args.width == 8) return add_vectors<8, 1>(args, 0, 8);
  if (args.width < 16) return add_vectors<8, 2>(args, 0, args.width);
  constexpr std::size_t kMost = 64;
  std::size_t first = 0;
  for (; args.width - first >= kMost + 16; first += kMost) add_vectors<16, 4>(args, first, kMost);
  const std::size_t left = args.width - first;
  switch ((left + 15) / 16) {
    case 1: return add_vectors<16, 1>(args, first, left);
    case 2: return add_vectors<16, 2>(args, first, left);
    case 3: return add_vectors<16, 3>(args, first, left);
    case 4: return add_vectors<16, 4>(args, first, left);
    default: return add_vectors<16, 5>(args, first, left);
  }
}

void add_floats(const LeafSumArgs<float>& args) { add_leaves(args); }
void add_shorts(const LeafSumArgs<std::uint16_t>& args) { add_leaves(args); }

}  // namespace

extern const MaskKernels kMaskKernels;
const MaskKernels kMaskKernels{set_ranks, find_leaves, add_floats, add_shorts};

}  // namespace simplexboost::SIMPLEXBOOST_ISA
