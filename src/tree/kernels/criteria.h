// How good a cut is by each criterion (CriterionKind), over a number type (base/simd/lanes.h): a
// score is a type with one function, so that the scan is one loop with the criterion inlined.
#pragma once

#include "base/simd/lane_math.h"
#include "tree/kernels/kernels.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

// std::same_as without its header (see base/simd/isa.h).
template <class A, class B>
inline constexpr bool kSame = false;
template <class A>
inline constexpr bool kSame<A, A> = true;
template <class A, class B>
concept SameAs = kSame<A, B>;

template <class Number>
using Bits = typename BitsOf<Number>::Signed;

// The sums of a side that lie in two places: those of known values, and of missing ones or null. A
// score takes it in the place of a pointer to the sums.
struct SumsOfTwo {
  const std::int32_t* known;
  const std::int32_t* missing;

  LANES_INLINE std::int32_t operator[](std::size_t j) const {
    return known[j] + (missing ? missing[j] : 0);
  }
  LANES_INLINE SumsOfTwo operator+(std::size_t j) const {
    return {known + j, missing ? missing + j : nullptr};
  }
};
template <class Vector>
LANES_INLINE Vector load(const SumsOfTwo& sums) {
  const auto known = load<Vector>(sums.known);
  return sums.missing ? known + load<Vector>(sums.missing) : known;
}

// --- Criteria over pulls ---------------------------------------------------------------------
// A criterion sees the left and right pulls of one vector of channels after the other and ends with
// one number. Lanes that hold no pull are zero; where that is not neutral, kMasked asks for `live`,
// the lanes that do. Where that number is the sum of a vector, `addends` is that vector, given the
// inverse weights of both sides: the scan sums those of several cuts together. `of` is what it is
// after its first vector.

// 1 / weight, or 0 of nothing.
template <class Number>
LANES_INLINE Number inverse_of(Number weight) {
  return select(weight > 0, 1.0F / weight, Number{});
}

template <class Number>
struct LeastSquares {
  static constexpr bool kMasked = false;
  Number left{};
  Number right{};
  static LANES_INLINE LeastSquares of(Number l, Number r) { return {l * l, r * r}; }
  LANES_INLINE void add(Number l, Number r, Bits<Number> /*live*/) {
    left += l * l;
    right += r * r;
  }
  LANES_INLINE Number addends(Number left_inverse, Number right_inverse) const {
    return left * left_inverse + right * right_inverse;
  }
  LANES_INLINE float finish(const CriterionSpec& spec, float left_weight,
                            float right_weight) const {
    return sum(addends(Number{} + inverse_of(left_weight + spec.l2),
                       Number{} + inverse_of(right_weight + spec.l2)));
  }
};

template <class Number>
struct Vote {
  static constexpr bool kMasked = false;
  Number edge{};
  static LANES_INLINE Vote of(Number l, Number r) { return {absolute(r - l)}; }
  LANES_INLINE void add(Number l, Number r, Bits<Number> /*live*/) { edge += absolute(r - l); }
  LANES_INLINE Number addends(Number /*left_inverse*/, Number /*right_inverse*/) const {
    return edge;
  }
  LANES_INLINE float finish(const CriterionSpec& /*spec*/, float, float) const { return sum(edge); }
};

// The sums of a side may all be negative, so the lanes without a pull must not win.
template <class Number>
struct Class {
  static constexpr bool kMasked = true;
  Number left = Number{} - 0x1p40F;
  Number right = Number{} - 0x1p40F;
  LANES_INLINE void add(Number l, Number r, Bits<Number> live) {
    const Number low = Number{} - 0x1p40F;
    left = maximum(left, select(live, l, low));
    right = maximum(right, select(live, r, low));
  }
  LANES_INLINE float finish(const CriterionSpec& /*spec*/, float, float) const {
    return largest(left) + largest(right);
  }
};

template <class Number>
struct Subset {
  static constexpr bool kMasked = false;
  Number edge{};
  static LANES_INLINE Subset of(Number l, Number r) {
    const Number zero{};
    return {maximum(l, zero) + maximum(r, zero)};
  }
  LANES_INLINE void add(Number l, Number r, Bits<Number> /*live*/) { edge += of(l, r).edge; }
  LANES_INLINE Number addends(Number /*left_inverse*/, Number /*right_inverse*/) const {
    return edge;
  }
  LANES_INLINE float finish(const CriterionSpec& /*spec*/, float, float) const { return sum(edge); }
};

// What the scan asks of a criterion.
template <class C, class Number>
concept Criterion = requires(C criterion, const C ended, Number pulls, Bits<Number> live,
                             const CriterionSpec& spec, float weight) {
  { C::kMasked } -> SameAs<const bool&>;
  criterion.add(pulls, pulls, live);
  { ended.finish(spec, weight, weight) } -> SameAs<float>;
};

// Which lanes of the vector at channel j hold a pull.
template <std::size_t N>
LANES_INLINE Int<N> live_lanes(std::size_t j, std::size_t end) {
  Int<N> lane{};
  for (std::size_t i = 0; i < N; ++i) lane[i] = static_cast<std::int32_t>(j + i);
  const Int<N> first = Int<N>{} + static_cast<std::int32_t>(kPullChannel);
  return (lane >= first) & (lane < Int<N>{} + static_cast<std::int32_t>(end));
}

// V is the number of vectors, so that the sums stay in registers; 0: read it from the spec.
template <template <class> class Kind, std::size_t N, std::size_t V>
requires Criterion<Kind<Float<N>>, Float<N>>
struct LaneScore {
  using Judge = Kind<Float<N>>;

  template <class Sums>
  static LANES_INLINE Judge seen(const CriterionSpec& spec, Sums left, const std::int32_t* total) {
    Judge criterion;
    const std::size_t end = spec.pulls + kPullChannel;
    const std::size_t vectors = V > 0 ? V : (end + N - 1) / N;
    for (std::size_t v = 0; v < vectors; ++v) {
      auto l = load<Int<N>>(left + v * N);
      auto r = load<Int<N>>(total + v * N) - l;
      Int<N> live{};
      if (v == 0 || Judge::kMasked) live = live_lanes<N>(v * N, end);
      if (v == 0) {
        l &= live;
        r &= live;
      }
      criterion.add(to_float<N>(l), to_float<N>(r), live);
    }
    return criterion;
  }

  template <class Sums>
  static LANES_INLINE float of(const CriterionSpec& spec, Sums left, const std::int32_t* total) {
    const std::int32_t left_weight = left[kWeightChannel];
    const std::int32_t right_weight = total[kWeightChannel] - left_weight;
    return seen(spec, left, total)
        .finish(spec, static_cast<float>(left_weight), static_cast<float>(right_weight));
  }
};

// --- Criteria that look at a weight of each channel beside the pulls (diagonal()) ----------------
// Such a criterion sees the pulls g and the weights h, left (l) and right (r).

// sqrt(W^2 - G^2) = 2 sqrt(W+ W-), W+ and W- the weights of yes and no.
template <class Number>
LANES_INLINE Number doubt(Bits<Number> pull, Bits<Number> weight) {
  const Number zero{};
  const auto product = to_number<Number>(weight - pull) * to_number<Number>(weight + pull);
  return sqrt_of(select(product > zero, product, zero));
}

// Schapire and Singer (1999), section 4.1: Z of the best confidences on both sides. The weights are
// in the units of the pulls.
template <class Number>
struct Confidence {
  Number z{};
  LANES_INLINE void add(Bits<Number> gl, Bits<Number> gr, Bits<Number> wl, Bits<Number> wr) {
    z += doubt<Number>(gl, wl) + doubt<Number>(gr, wr);
  }
  LANES_INLINE float finish() const { return -sum(z); }
};

// What a hypothesis gains that says the shares of P on either side.
template <class Number>
struct Share {
  Number edge_left{};
  Number edge_right{};
  Number all_left{};
  Number all_right{};
  LANES_INLINE void add(Bits<Number> gl, Bits<Number> gr, Bits<Number> pl, Bits<Number> pr) {
    edge_left += to_number<Number>(gl) * to_number<Number>(pl);
    edge_right += to_number<Number>(gr) * to_number<Number>(pr);
    all_left += to_number<Number>(pl);
    all_right += to_number<Number>(pr);
  }
  LANES_INLINE float finish() const {
    return over(sum(edge_left), sum(all_left)) + over(sum(edge_right), sum(all_right));
  }

 private:
  static LANES_INLINE float over(float edge, float all) { return all > 0 ? edge / all : 0; }
};

// Pulls stand in the first half of the channels, weights in the same lanes of the second.
template <template <class> class Kind, std::size_t N>
struct DiagonalScore {
  template <class Sums>
  static LANES_INLINE float of(const CriterionSpec& spec, Sums left, const std::int32_t* total) {
    Kind<Float<N>> criterion;
    const std::size_t half = spec.channels / 2;
    const std::size_t end = spec.pulls + kPullChannel;
    for (std::size_t j = 0; j < end; j += N) {
      const Int<N> live = live_lanes<N>(j, end);
      const auto gl = load<Int<N>>(left + j) & live;
      const Int<N> gr = (load<Int<N>>(total + j) & live) - gl;
      const auto hl = load<Int<N>>(left + half + j);
      const auto hr = load<Int<N>>(total + half + j) - hl;
      criterion.add(gl, gr, hl, hr);
    }
    return criterion.finish();
  }
};

// --- Codewords ------------------------------------------------------------------------------
struct CodewordScore {
  template <class Sums>
  static LANES_INLINE float of(const CriterionSpec& spec, Sums left, const std::int32_t* total) {
    Float<8> best_left = Float<8>{} - 0x1p60F;
    Float<8> best_right = best_left;
    for (std::size_t k = 0; k < spec.codeword_stride; k += 8) {
      Float<8> l{};
      Float<8> r{};
      for (std::size_t j = 0; j < spec.pulls; ++j) {
        const auto y = load<Float<8>>(spec.codewords + j * spec.codeword_stride + k);
        const std::int32_t left_sum = left[kPullChannel + j];
        l += y * static_cast<float>(left_sum);
        r += y * static_cast<float>(total[kPullChannel + j] - left_sum);
      }
      best_left = maximum(best_left, l);
      best_right = maximum(best_right, r);
    }
    return largest(best_left) + largest(best_right);
  }
};

// --- From the name of a criterion to its code ----------------------------------------------------
template <std::size_t N, std::size_t V, template <class, std::size_t, std::size_t> class Use,
          class... Args>
LANES_INLINE auto with_criterion(CriterionKind kind, Args&&... args) {
  switch (kind) {
    case CriterionKind::kConfidence: return Use<DiagonalScore<Confidence, N>, N, 0>::run(args...);
    case CriterionKind::kShare: return Use<DiagonalScore<Share, N>, N, 0>::run(args...);
    case CriterionKind::kVote: return Use<LaneScore<Vote, N, V>, N, V>::run(args...);
    case CriterionKind::kClass: return Use<LaneScore<Class, N, V>, N, V>::run(args...);
    case CriterionKind::kSubset: return Use<LaneScore<Subset, N, V>, N, V>::run(args...);
    case CriterionKind::kCodeword: return Use<CodewordScore, N, 0>::run(args...);
    default: return Use<LaneScore<LeastSquares, N, V>, N, V>::run(args...);
  }
}

}  // namespace
}  // namespace simplexboost::SIMPLEXBOOST_ISA
