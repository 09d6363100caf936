// With o_j = 1 where the row's value of feature j leads to the leaf (else 0) and z_j the share of
// the rows without it, the leaf's indicator is a product of independent factors, and its Shapley
// values are, over the size of the coalition drawn uniformly,
//
//     phi_i  = (o_i - z_i) * integral over t in [0, 1] of prod_{j != i} (t o_j + (1 - t) z_j)
//     phi_ij = (o_i - z_i) (o_j - z_j) / 2 * the same without i and j
//
// since the integral of t^s (1-t)^(n-1-s) is s! (n-1-s)! / n!. The integrand is a polynomial of
// degree n - 1, and Gauss-Legendre with half as many points is exact. All factors are within [0,
// 1]: nothing cancels.
#include "base/simd/lanes.h"
#include "explain/shap_kernels.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

using Doubles = VectorOf<double, kShapLanes>::Type;
using Words = VectorOf<std::uint64_t, kShapLanes>::Type;

// Of a group of rows: all bits set where the answer j is yes.
LANES_INLINE Words yes(Words answers, std::size_t j) { return Words{} - ((answers >> j) & 1); }

LANES_INLINE Doubles where(Words mask, double x) {
  const Words bits = Words{} + __builtin_bit_cast(std::uint64_t, x);
  return __builtin_bit_cast(Doubles, bits & mask);
}

void feature_weights(const LeafPaths& paths, double* lines) {
  const std::size_t count = paths.count;
  for (std::size_t row = 0; row < kShapRows; row += kShapLanes) {
    const auto answers = load<Words>(paths.answers + row);
    Doubles sums[kWordBits];
    Doubles factors[kWordBits];
    Doubles before[kWordBits];
    for (std::size_t j = 0; j < count; ++j) sums[j] = Doubles{};
    for (std::size_t q = 0; q < paths.points; ++q) {
      const double t = paths.point[q];
      Doubles product = Doubles{} + paths.weight[q];
      for (std::size_t j = 0; j < count; ++j) {
        before[j] = product;
        factors[j] = where(yes(answers, j), t) + (1 - t) * paths.shares[j];
        product *= factors[j];
      }
      Doubles after = Doubles{} + 1;
      for (std::size_t j = count; j-- > 0;) {
        sums[j] += before[j] * after;
        after *= factors[j];
      }
    }
    for (std::size_t j = 0; j < count; ++j)
      store(lines + paths.places[j] * kShapRows + row,
            (where(yes(answers, j), 1) - paths.shares[j]) * sums[j]);
  }
}

void pair_weights(const LeafPaths& paths, double* lines) {
  const std::size_t count = paths.count;
  const std::uint32_t* place = paths.places;
  for (std::size_t pair = 0; pair < count * (count - 1) / 2; ++pair)
    for (std::size_t row = 0; row < kShapRows; ++row) lines[place[pair] * kShapRows + row] = 0;
  for (std::size_t row = 0; row < kShapRows; row += kShapLanes) {
    const auto answers = load<Words>(paths.answers + row);
    Doubles factors[kWordBits];
    Doubles after[kWordBits + 1];
    Doubles moves[kWordBits];
    for (std::size_t j = 0; j < count; ++j) moves[j] = where(yes(answers, j), 1) - paths.shares[j];
    for (std::size_t q = 0; q < paths.points; ++q) {
      const double t = paths.point[q];
      after[count] = Doubles{} + paths.weight[q] / 2;
      for (std::size_t j = count; j-- > 0;) {
        factors[j] = where(yes(answers, j), t) + (1 - t) * paths.shares[j];
        after[j] = after[j + 1] * factors[j];
      }
      std::size_t pair = 0;
      Doubles before = Doubles{} + 1;
      for (std::size_t i = 0; i < count; before *= factors[i], ++i) {
        Doubles between = before * moves[i];
        for (std::size_t j = i + 1; j < count; between *= factors[j], ++j) {
          double* const line = lines + place[pair++] * kShapRows + row;
          store(line, load<Doubles>(line) + between * moves[j] * after[j + 1]);
        }
      }
    }
  }
}

// The first `count` numbers of a vector.
LANES_INLINE void put(double* to, Doubles sums, std::size_t count, bool fresh) {
  if (count >= kShapLanes) {
    store(to, fresh ? sums : load<Doubles>(to) + sums);
    return;
  }
  for (std::size_t c = 0; c < count; ++c) to[c] = fresh ? sums[c] : to[c] + sums[c];
}

// So many rows share each load of a leaf's values.
template <std::size_t Rows>
void multiply_rows(const LeafProduct& p, std::size_t row) {
  const double* const lines = p.lines + p.first_row + row;
  for (std::size_t c = 0; c < p.columns; c += kShapLanes) {
    Doubles sums[Rows] = {};
    for (std::size_t e = 0; e < p.count; ++e) {
      const double* const line = lines + p.entries[e].line * kShapRows;
      const auto values = load<Doubles>(p.values + p.entries[e].leaf * p.stride + c);
      for (std::size_t r = 0; r < Rows; ++r) sums[r] += line[r] * values;
    }
    double* const out = p.out + row * p.row_stride + c;
    for (std::size_t r = 0; r < Rows; ++r)
      put(out + r * p.row_stride, sums[r], p.columns - c, p.fresh);
  }
}

// Few columns: the rows are the lanes.
void multiply_column(const LeafProduct& p, std::size_t c) {
  for (std::size_t row = 0; row < p.rows; row += kShapLanes) {
    Doubles sums = {};
    for (std::size_t e = 0; e < p.count; ++e)
      sums += load<Doubles>(p.lines + p.entries[e].line * kShapRows + p.first_row + row) *
              p.values[p.entries[e].leaf * p.stride + c];
    const std::size_t left = p.rows - row;
    for (std::size_t r = 0; r < kShapLanes && r < left; ++r) {
      double& to = p.out[(row + r) * p.row_stride + c];
      to = p.fresh ? sums[r] : to + sums[r];
    }
  }
}

void multiply(const LeafProduct& p) {
  constexpr std::size_t kFew = 3;
#if defined(__AVX512F__)
  constexpr std::size_t kRowsAtOnce = 8;  // as many sums as registers hold
#else
  constexpr std::size_t kRowsAtOnce = 4;
#endif
  if (p.columns <= kFew && p.rows > 1) {
    for (std::size_t c = 0; c < p.columns; ++c) multiply_column(p, c);
    return;
  }
  std::size_t row = 0;
  for (; row + kRowsAtOnce <= p.rows; row += kRowsAtOnce) multiply_rows<kRowsAtOnce>(p, row);
  for (; row < p.rows; ++row) multiply_rows<1>(p, row);
}

void scale_floats(const float* values, std::size_t count, double factor, double* to) {
  for (std::size_t c = 0; c < count; ++c) to[c] = factor * static_cast<double>(values[c]);
}

// bfloat16: the upper halves of floats.
void scale_shorts(const std::uint16_t* values, std::size_t count, double factor, double* to) {
  for (std::size_t c = 0; c < count; ++c)
    to[c] = factor * static_cast<double>(
                         __builtin_bit_cast(float, static_cast<std::uint32_t>(values[c]) << 16U));
}

}  // namespace

extern const ShapKernels kShapKernels;
const ShapKernels kShapKernels = {feature_weights, pair_weights, multiply, scale_floats,
                                  scale_shorts};

}  // namespace simplexboost::SIMPLEXBOOST_ISA
