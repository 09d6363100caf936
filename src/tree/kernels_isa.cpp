// The inner loops of tree growth, one copy for each instruction level (see base/isa.h).
#include "base/lane_math.h"
#include "tree/kernels.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

// --- Histogram filling -----------------------------------------------------------------------

// V vectors of N lanes, from vector `first` on, of every row's statistics. Stride and Width are the
// numbers of channels and features where the compiler shall know them; 0: read them from `args`.
// Packed: the features are not neighbours.
template <std::size_t N, std::size_t V, std::size_t Stride, std::size_t Width, bool Packed,
          class Bin>
void fill_rows(const FillArgs<Bin>& args, std::size_t first) {
  using Lane = Int<N>;
  const std::size_t channels = Stride > 0 ? Stride : args.channels;
  const std::size_t width = Width > 0 ? Width : args.width;
  std::int32_t* features[kBlockFeatures];
  for (std::size_t f = 0; f < width; ++f)
    features[f] = args.histogram + first * N + args.offsets[f] * channels;
  const std::int32_t* const stats = args.stats + first * N;
  constexpr std::size_t kAhead = 16;
  constexpr std::size_t kLine = 16;
  for (std::size_t i = 0; i < args.count; ++i) {
    const std::size_t row = args.rows ? args.rows[i] : i;
    if (args.rows && i + kAhead < args.count) {
      const std::size_t ahead = args.rows[i + kAhead];
      for (std::size_t j = 0; j < V * N; j += kLine)
        __builtin_prefetch(stats + ahead * channels + j);
      __builtin_prefetch(args.bins + ahead * args.bin_stride);
    }
    Lane sums[V];
    for (std::size_t v = 0; v < V; ++v) sums[v] = load<Lane>(stats + row * channels + v * N);
    const Bin* bins = args.bins + row * args.bin_stride;
    for (std::size_t f = 0; f < width; ++f) {
      std::int32_t* place = features[f] + bins[Packed ? args.columns[f] : f] * channels;
      for (std::size_t v = 0; v < V; ++v) store(place + v * N, load<Lane>(place + v * N) + sums[v]);
    }
  }
}

template <std::size_t N, std::size_t V, class Bin>
void fill_vectors(const FillArgs<Bin>& args, std::size_t first) {
  const bool whole = args.channels == N * V;
  if (args.columns)
    return whole ? fill_rows<N, V, N * V, 0, true>(args, first)
                 : fill_rows<N, V, 0, 0, true>(args, first);
  if (!whole) return fill_rows<N, V, 0, 0, false>(args, first);
  if (args.width != kBlockFeatures) return fill_rows<N, V, N * V, 0, false>(args, first);
  fill_rows<N, V, N * V, kBlockFeatures, false>(args, first);
}

template <class Bin>
void fill(const FillArgs<Bin>& args) {
  if (args.channels == 4) return fill_vectors<4, 1>(args, 0);
  std::size_t first = 0;
  std::size_t left = args.channels / 8;
  for (; left > kMostVectors; left -= 6, first += 6) fill_vectors<8, 6>(args, first);
  switch (left) {
    case 1: return fill_vectors<8, 1>(args, first);
    case 2: return fill_vectors<8, 2>(args, first);
    case 3: return fill_vectors<8, 3>(args, first);
    case 4: return fill_vectors<8, 4>(args, first);
    case 5: return fill_vectors<8, 5>(args, first);
    case 6: return fill_vectors<8, 6>(args, first);
    case 7: return fill_vectors<8, 7>(args, first);
    default: return fill_vectors<8, kMostVectors>(args, first);
  }
}

// Sets the bins that fill() would touch to zero.
template <class Bin>
void clear(const FillArgs<Bin>& args) {
  for (std::size_t i = 0; i < args.count; ++i) {
    const std::size_t row = args.rows ? args.rows[i] : i;
    const Bin* bins = args.bins + row * args.bin_stride;
    for (std::size_t f = 0; f < args.width; ++f) {
      const Bin bin = bins[args.columns ? args.columns[f] : f];
      std::int32_t* place = args.histogram + (args.offsets[f] + bin) * args.channels;
      for (std::size_t j = 0; j < args.channels; j += 4) store(place + j, Int<4>{});
    }
  }
}

void subtract(std::int32_t* out, const std::int32_t* whole, const std::int32_t* part,
              std::size_t size) {
  for (std::size_t i = 0; i < size; i += 4)
    store(out + i, load<Int<4>>(whole + i) - load<Int<4>>(part + i));
}

// std::same_as without its header (see base/isa.h).
template <class A, class B>
inline constexpr bool kSame = false;
template <class A>
inline constexpr bool kSame<A, A> = true;
template <class A, class B>
concept SameAs = kSame<A, B>;

// --- Criteria --------------------------------------------------------------------------------
// A criterion sees the left and right pulls of one vector of channels after the other and ends with
// one number. Lanes that hold no pull are zero; where that is not neutral, kMasked asks for `live`,
// the lanes that do.

template <std::size_t N>
struct LeastSquares {
  static constexpr bool kMasked = false;
  Float<N> left{};
  Float<N> right{};
  LANES_INLINE void add(Float<N> l, Float<N> r, Int<N> /*live*/) {
    left += l * l;
    right += r * r;
  }
  LANES_INLINE float finish(const CriterionSpec& spec, float left_weight,
                            float right_weight) const {
    const float l = left_weight + spec.l2;
    const float r = right_weight + spec.l2;
    return sum(left * (l > 0 ? 1 / l : 0.0F) + right * (r > 0 ? 1 / r : 0.0F));
  }
};

template <std::size_t N>
struct Vote {
  static constexpr bool kMasked = false;
  Float<N> edge{};
  LANES_INLINE void add(Float<N> l, Float<N> r, Int<N> /*live*/) { edge += absolute(r - l); }
  LANES_INLINE float finish(const CriterionSpec& /*spec*/, float, float) const { return sum(edge); }
};

template <std::size_t N>
struct Coordinate {
  static constexpr bool kMasked = false;
  Float<N> edge{};
  LANES_INLINE void add(Float<N> l, Float<N> r, Int<N> /*live*/) {
    edge = maximum(edge, absolute(r - l));
  }
  LANES_INLINE float finish(const CriterionSpec& /*spec*/, float, float) const {
    return largest(edge);
  }
};

// The sums of a side may all be negative, so the lanes without a pull must not win.
template <std::size_t N>
struct Class {
  static constexpr bool kMasked = true;
  Float<N> left = Float<N>{} - 0x1p40F;
  Float<N> right = Float<N>{} - 0x1p40F;
  LANES_INLINE void add(Float<N> l, Float<N> r, Int<N> live) {
    const Float<N> low = Float<N>{} - 0x1p40F;
    left = maximum(left, select(live, l, low));
    right = maximum(right, select(live, r, low));
  }
  LANES_INLINE float finish(const CriterionSpec& /*spec*/, float, float) const {
    return largest(left) + largest(right);
  }
};

template <std::size_t N>
struct Subset {
  static constexpr bool kMasked = false;
  Float<N> edge{};
  LANES_INLINE void add(Float<N> l, Float<N> r, Int<N> /*live*/) {
    const Float<N> zero{};
    edge += maximum(l, zero) + maximum(r, zero);
  }
  LANES_INLINE float finish(const CriterionSpec& /*spec*/, float, float) const { return sum(edge); }
};

// What the scan asks of a criterion over N lanes.
template <class C, std::size_t N>
concept Criterion = requires(C criterion, const C ended, Float<N> pulls, Int<N> live,
                             const CriterionSpec& spec, float weight) {
  { C::kMasked } -> SameAs<const bool&>;
  criterion.add(pulls, pulls, live);
  { ended.finish(spec, weight, weight) } -> SameAs<float>;
};

// Which lanes of the vector at channel j hold a pull.
template <std::size_t N>
LANES_INLINE Int<N> live_lanes(std::size_t j, std::size_t end) {
  Int<N> lane;
  for (std::size_t i = 0; i < N; ++i) lane[i] = static_cast<std::int32_t>(j + i);
  const Int<N> first = Int<N>{} + static_cast<std::int32_t>(kPullChannel);
  return (lane >= first) & (lane < Int<N>{} + static_cast<std::int32_t>(end));
}

// A score is a type with one function, so that the scan is one loop with the criterion inlined. V
// is the number of vectors, so that the sums stay in registers; 0: read it from the spec.
template <template <std::size_t> class Kind, std::size_t N, std::size_t V>
requires Criterion<Kind<N>, N>
struct LaneScore {
  static LANES_INLINE float of(const CriterionSpec& spec, const std::int32_t* left,
                               const std::int32_t* total) {
    Kind<N> criterion;
    const std::size_t end = spec.pulls + kPullChannel;
    const std::size_t vectors = V > 0 ? V : (end + N - 1) / N;
    for (std::size_t v = 0; v < vectors; ++v) {
      Int<N> l = load<Int<N>>(left + v * N);
      Int<N> r = load<Int<N>>(total + v * N) - l;
      Int<N> live{};
      if (v == 0 || Kind<N>::kMasked) live = live_lanes<N>(v * N, end);
      if (v == 0) {
        l &= live;
        r &= live;
      }
      criterion.add(to_float<N>(l), to_float<N>(r), live);
    }
    const std::int32_t left_weight = left[kWeightChannel];
    const std::int32_t right_weight = total[kWeightChannel] - left_weight;
    return criterion.finish(spec, static_cast<float>(left_weight),
                            static_cast<float>(right_weight));
  }
};

// G^2 / (H + l2), and nothing where there is no curvature.
template <std::size_t N>
LANES_INLINE Float<N> newton_gain(Int<N> pull, Int<N> curvature, const CriterionSpec& spec) {
  const Float<N> zero{};
  const Float<N> g = to_float<N>(pull);
  const Float<N> h = to_float<N>(curvature) + spec.l2;
  return select(h > zero, g * g / select(h > zero, h, zero + 1.0F), zero);
}

// Pulls stand in the first half of the channels, curvatures in the same lanes of the second.
template <std::size_t N>
struct NewtonScore {
  static LANES_INLINE float of(const CriterionSpec& spec, const std::int32_t* left,
                               const std::int32_t* total) {
    const std::size_t half = spec.channels / 2;
    const std::size_t end = spec.pulls + kPullChannel;
    Float<N> gain{};
    for (std::size_t j = 0; j < end; j += N) {
      const Int<N> live = live_lanes<N>(j, end);
      const Int<N> gl = load<Int<N>>(left + j) & live;
      const Int<N> gr = (load<Int<N>>(total + j) & live) - gl;
      const Int<N> hl = load<Int<N>>(left + half + j);
      const Int<N> hr = load<Int<N>>(total + half + j) - hl;
      gain += newton_gain<N>(gl, hl, spec) + newton_gain<N>(gr, hr, spec);
    }
    return sum(gain);
  }
};

// sqrt(W^2 - G^2) = 2 sqrt(W+ W-), W+ and W- the weights of yes and no.
template <std::size_t N>
LANES_INLINE Float<N> doubt(Int<N> pull, Int<N> weight) {
  const Float<N> zero{};
  const Float<N> product = to_float<N>(weight - pull) * to_float<N>(weight + pull);
  Float<N> root = select(product > zero, product, zero);
  for (std::size_t i = 0; i < N; ++i) root[i] = __builtin_sqrtf(root[i]);
  return root;
}

// Schapire and Singer (1999), section 4.1: Z of the best confidences on both sides. Weights stand
// where Newton's curvatures do, in the units of the pulls.
template <std::size_t N>
struct ConfidenceScore {
  static LANES_INLINE float of(const CriterionSpec& spec, const std::int32_t* left,
                               const std::int32_t* total) {
    const std::size_t half = spec.channels / 2;
    const std::size_t end = spec.pulls + kPullChannel;
    Float<N> z{};
    for (std::size_t j = 0; j < end; j += N) {
      const Int<N> live = live_lanes<N>(j, end);
      const Int<N> gl = load<Int<N>>(left + j) & live;
      const Int<N> gr = (load<Int<N>>(total + j) & live) - gl;
      const Int<N> wl = load<Int<N>>(left + half + j);
      const Int<N> wr = load<Int<N>>(total + half + j) - wl;
      z += doubt<N>(gl, wl) + doubt<N>(gr, wr);
    }
    return -sum(z);
  }
};

// What a hypothesis gains that says the shares of P on either side, P standing where Newton's
// curvatures do.
template <std::size_t N>
struct ShareScore {
  static LANES_INLINE float of(const CriterionSpec& spec, const std::int32_t* left,
                               const std::int32_t* total) {
    const std::size_t half = spec.channels / 2;
    const std::size_t end = spec.pulls + kPullChannel;
    Float<N> edge_left{};
    Float<N> edge_right{};
    Float<N> all_left{};
    Float<N> all_right{};
    for (std::size_t j = 0; j < end; j += N) {
      const Int<N> live = live_lanes<N>(j, end);
      const Int<N> gl = load<Int<N>>(left + j) & live;
      const Int<N> gr = (load<Int<N>>(total + j) & live) - gl;
      const Int<N> pl = load<Int<N>>(left + half + j) & live;
      const Int<N> pr = (load<Int<N>>(total + half + j) & live) - pl;
      edge_left += to_float<N>(gl) * to_float<N>(pl);
      edge_right += to_float<N>(gr) * to_float<N>(pr);
      all_left += to_float<N>(pl);
      all_right += to_float<N>(pr);
    }
    return over(sum(edge_left), sum(all_left)) + over(sum(edge_right), sum(all_right));
  }

 private:
  static LANES_INLINE float over(float edge, float all) { return all > 0 ? edge / all : 0; }
};

struct CodewordScore {
  static LANES_INLINE float of(const CriterionSpec& spec, const std::int32_t* left,
                               const std::int32_t* total) {
    Float<8> best_left = Float<8>{} - 0x1p60F;
    Float<8> best_right = best_left;
    for (std::size_t k = 0; k < spec.codeword_stride; k += 8) {
      Float<8> l{};
      Float<8> r{};
      for (std::size_t j = 0; j < spec.pulls; ++j) {
        const Float<8> y = load<Float<8>>(spec.codewords + j * spec.codeword_stride + k);
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

// --- Split scan ------------------------------------------------------------------------------

template <class Score, std::size_t N, std::size_t V>
struct Scan {
  // `left` is scratch, or (V > 0) a copy of it that the compiler keeps in registers.
  static LANES_INLINE void direction(const ScanArgs& args, bool missing_left, std::int32_t* left,
                                     ScanResult& best) {
    const CriterionSpec& spec = *args.criterion;
    const std::size_t channels = V > 0 ? V * N : spec.channels;
    const std::int32_t* const missing = args.histogram + args.value_bins * channels;
    for (std::size_t j = 0; j < channels; j += N)
      store(left + j, missing_left ? load<Int<N>>(missing + j) : Int<N>{});
    const std::int32_t rows = args.total[kCountChannel];
    // With missing values on the right even the last bin is a cut: all that is known goes left.
    const bool missing_right = !missing_left && args.has_missing && missing[kCountChannel] > 0;
    const std::uint32_t cuts = args.value_bins - (missing_right ? 0 : 1);
    for (std::uint32_t bin = 0; bin < cuts; ++bin) {
      const std::int32_t* sums = args.histogram + bin * channels;
      if (sums[kCountChannel] == 0) continue;
      for (std::size_t j = 0; j < channels; j += N)
        store(left + j, load<Int<N>>(left + j) + load<Int<N>>(sums + j));
      const std::int32_t left_rows = left[kCountChannel];
      if (left_rows < args.min_rows) continue;
      if (rows - left_rows < args.min_rows) return;
      if (args.min_weight > 0) {
        const float weight = static_cast<float>(left[kWeightChannel]);
        const float whole = static_cast<float>(args.total[kWeightChannel]);
        if (weight < args.min_weight || whole - weight < args.min_weight) continue;
      }
      const float score = Score::of(spec, left, args.total);
      if (score > best.score) best = {score, bin, missing_left};
    }
  }

  static ScanResult run(const ScanArgs& args, std::int32_t* scratch) {
    ScanResult best;
    const std::size_t channels = args.criterion->channels;
    const std::int32_t* missing = args.histogram + args.value_bins * channels;
    const bool both = args.has_missing && missing[kCountChannel] > 0;
    if constexpr (V > 0) {
      alignas(64) std::int32_t left[V * N];
      direction(args, false, left, best);
      if (both) direction(args, true, left, best);
    } else {
      direction(args, false, scratch, best);
      if (both) direction(args, true, scratch, best);
    }
    return best;
  }
};

template <class Score, std::size_t N, std::size_t V>
struct ScoreOnce {
  static float run(const CriterionSpec& spec, const std::int32_t* left, const std::int32_t* total) {
    return Score::of(spec, left, total);
  }
};

// From the name of a criterion to its code.
template <std::size_t N, std::size_t V, template <class, std::size_t, std::size_t> class Use,
          class... Args>
LANES_INLINE auto with_criterion(CriterionKind kind, Args&&... args) {
  switch (kind) {
    case CriterionKind::kNewtonDiagonal: return Use<NewtonScore<N>, N, 0>::run(args...);
    case CriterionKind::kConfidence: return Use<ConfidenceScore<N>, N, 0>::run(args...);
    case CriterionKind::kShare: return Use<ShareScore<N>, N, 0>::run(args...);
    case CriterionKind::kVote: return Use<LaneScore<Vote, N, V>, N, V>::run(args...);
    case CriterionKind::kCoordinate: return Use<LaneScore<Coordinate, N, V>, N, V>::run(args...);
    case CriterionKind::kClass: return Use<LaneScore<Class, N, V>, N, V>::run(args...);
    case CriterionKind::kSubset: return Use<LaneScore<Subset, N, V>, N, V>::run(args...);
    case CriterionKind::kCodeword: return Use<CodewordScore, N, 0>::run(args...);
    default: return Use<LaneScore<LeastSquares, N, V>, N, V>::run(args...);
  }
}

// From the length of a statistics vector to code of that length.
template <template <class, std::size_t, std::size_t> class Use, class... Args>
LANES_INLINE auto with_length(const CriterionSpec& spec, Args&&... args) {
  // Weights of each channel come in halves, so their shortest vector of eight is two of four.
  if (diagonal(spec.kind) && spec.channels == 8)
    return with_criterion<4, 0, Use>(spec.kind, args...);
  switch (spec.channels) {
    case 4: return with_criterion<4, 1, Use>(spec.kind, args...);
    case 8: return with_criterion<8, 1, Use>(spec.kind, args...);
    case 16: return with_criterion<8, 2, Use>(spec.kind, args...);
    case 24: return with_criterion<8, 3, Use>(spec.kind, args...);
    case 32: return with_criterion<8, 4, Use>(spec.kind, args...);
    case 40: return with_criterion<8, 5, Use>(spec.kind, args...);
    default: return with_criterion<8, 0, Use>(spec.kind, args...);
  }
}

ScanResult scan(const ScanArgs& args, std::int32_t* left) {
  return with_length<Scan>(*args.criterion, args, left);
}

float score(const CriterionSpec& spec, const std::int32_t* left, const std::int32_t* total) {
  return with_length<ScoreOnce>(spec, spec, left, total);
}

// --- Quantisation ----------------------------------------------------------------------------

// Rounds half away from zero: the same on every machine, whatever its rounding mode.
template <std::size_t N>
LANES_INLINE void quantise_lanes(const float* values, float scale, std::int32_t* out) {
  const Float<N> x = load<Float<N>>(values) * scale;
  const Float<N> half = Float<N>{} + 0.5F;
  store(out, __builtin_convertvector(x + (x < 0 ? -half : half), Int<N>));
}

// At least N values: the last ones in a vector that may overlap the one before.
template <std::size_t N>
LANES_INLINE void quantise_run(const float* values, std::size_t count, float scale,
                               std::int32_t* out) {
  for (std::size_t j = 0; j + N <= count; j += N) quantise_lanes<N>(values + j, scale, out + j);
  quantise_lanes<N>(values + count - N, scale, out + count - N);
}

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

// --- Partition of rows -----------------------------------------------------------------------

#if defined(__AVX512F__)
// Sixteen rows at a time, from the first on; returns how many were done, and sets how many of them
// went left. Whole vectors are written: what is too much lies where rows were read already, or is
// overwritten.
template <class Bin>
LANES_INLINE std::size_t part_vectors(const PartArgs<Bin>& args, std::size_t& lefts) {
  // The gather counts bytes in 32 bits, with a sign.
  constexpr std::size_t kMostBytes = 0x7fffffff;
  const std::size_t step = args.stride * sizeof(Bin);
  if (args.count < 16 || (args.rows[args.count - 1] + std::size_t{1}) * step > kMostBytes) return 0;
  const __m512i stride = _mm512_set1_epi32(static_cast<int>(step));
  const __m512i within = _mm512_set1_epi32(sizeof(Bin) == 1 ? 0xff : 0xffff);
  const __m512i cut = _mm512_set1_epi32(args.bin);
  // A bin that there is not, where missing values go right.
  const __m512i missing = _mm512_set1_epi32(args.missing_left ? args.missing_bin : -1);
  std::size_t left = 0;
  std::size_t i = 0;
  for (; i + 16 <= args.count; i += 16) {
    const __m512i rows = _mm512_loadu_si512(args.rows + i);
    const __m512i gathered = _mm512_mask_i32gather_epi32(
        _mm512_setzero_si512(), 0xffff, _mm512_mullo_epi32(rows, stride), args.bins, 1);
    const __m512i bins = _mm512_and_si512(gathered, within);
    const __mmask16 goes = static_cast<__mmask16>(_mm512_cmple_epi32_mask(bins, cut) |
                                                  _mm512_cmpeq_epi32_mask(bins, missing));
    _mm512_storeu_si512(args.rows + left, _mm512_maskz_compress_epi32(goes, rows));
    _mm512_storeu_si512(args.right + (i - left),
                        _mm512_maskz_compress_epi32(static_cast<__mmask16>(~goes), rows));
    left += static_cast<std::size_t>(__builtin_popcount(goes));
  }
  lefts = left;
  return i;
}
#else
template <class Bin>
LANES_INLINE std::size_t part_vectors(const PartArgs<Bin>& /*args*/, std::size_t& /*lefts*/) {
  return 0;
}
#endif

template <class Bin>
std::size_t part(const PartArgs<Bin>& args) {
  std::size_t left = 0;
  for (std::size_t i = part_vectors(args, left); i < args.count; ++i) {
    const std::uint32_t row = args.rows[i];
    const std::int32_t bin = args.bins[row * args.stride];
    const bool goes = (bin <= args.bin) | (args.missing_left & (bin == args.missing_bin));
    args.right[i - left] = row;
    args.rows[left] = row;
    left += goes ? 1 : 0;
  }
  return left;
}

// --- Leaf values -----------------------------------------------------------------------------

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

}  // namespace

extern const Kernels kKernels;
const Kernels kKernels{fill<std::uint8_t>,
                       fill<std::uint16_t>,
                       subtract,
                       scan,
                       score,
                       clear<std::uint8_t>,
                       clear<std::uint16_t>,
                       quantise,
                       quantise_scalars,
                       add_absolute,
                       add_integers,
                       add_values,
                       part<std::uint8_t>,
                       part<std::uint16_t>};

}  // namespace simplexboost::SIMPLEXBOOST_ISA
