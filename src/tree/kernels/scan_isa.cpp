// The scan for a feature's best cut, by any criterion.
#include "tree/kernels/criteria.h"
#include "tree/kernels/kernel_parts.h"
#include "tree/split/cuts.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

// --- Cuts by eights --------------------------------------------------------------------------
// Most of a score is its last steps: two divisions, and the sum over the lanes of a vector. Eight
// cuts take them together, each in the order in which it would by itself.

// Whether a score is the sum of a vector.
template <class Score>
concept Summed = requires(typename Score::Judge criterion) {
  criterion.addends(0.0F, 0.0F);
};

#if defined(SIMPLEXBOOST_PLAIN_LANES)
template <std::size_t N>
LANES_INLINE Float<8> sum_eight(const Float<N>* x) {
  Float<8> sums;
  for (std::size_t i = 0; i < 8; ++i) sums[i] = sum(x[i]);
  return sums;
}
#else
// Lane i + 4 of two vectors to lane i, side by side; four lanes have nothing to add.
LANES_INLINE Float<8> fold(Float<8> a, Float<8> b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11) +
         __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
}
LANES_INLINE Float<8> fold(Float<4> a, Float<4> b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}

// The sums of eight vectors, each in the order of sum() in lanes.h.
template <std::size_t N>
LANES_INLINE Float<8> sum_eight(const Float<N>* x) {
  const auto pairs = [](Float<8> a, Float<8> b) {
    return Float<8>(__builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13) +
                    __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15));
  };
  const Float<8> low = pairs(fold(x[0], x[1]), fold(x[2], x[3]));
  const Float<8> high = pairs(fold(x[4], x[5]), fold(x[6], x[7]));
  const Float<8> sums = __builtin_shufflevector(low, high, 0, 2, 8, 10, 4, 6, 12, 14) +
                        __builtin_shufflevector(low, high, 1, 3, 9, 11, 5, 7, 13, 15);
  return Float<8>(__builtin_shufflevector(sums, sums, 0, 4, 1, 5, 2, 6, 3, 7));
}
#endif

template <class Score, std::size_t N>
struct CutsByEights {
  typename Score::Judge seen[8];
  float left_weight[8] = {};
  float right_weight[8] = {};
  std::uint32_t bins[8];
  bool missing_left[8];
  std::size_t size = 0;

  LANES_INLINE void take(const ScanArgs& args, const std::int32_t* left, std::uint32_t bin,
                         bool missing, ScanResult& best) {
    const std::int32_t weight = left[kWeightChannel];
    seen[size] = Score::seen(*args.criterion, left, args.total);
    left_weight[size] = static_cast<float>(weight);
    right_weight[size] = static_cast<float>(args.total[kWeightChannel] - weight);
    bins[size] = bin;
    missing_left[size] = missing;
    if (++size == 8) finish(*args.criterion, best);
  }

  LANES_INLINE void finish(const CriterionSpec& spec, ScanResult& best) {
    const Float<8> left_inverse = inverse_of(load<Float<8>>(left_weight) + spec.l2);
    const Float<8> right_inverse = inverse_of(load<Float<8>>(right_weight) + spec.l2);
    Float<N> addends[8];
    for (std::size_t i = 0; i < 8; ++i)
      addends[i] = seen[i].addends(left_inverse[i], right_inverse[i]);
    const Float<8> sums = sum_eight<N>(addends);
    for (std::size_t i = 0; i < size; ++i)
      if (sums[i] > best.score) best = {sums[i], bins[i], missing_left[i]};
    size = 0;
  }
};

// Nothing to keep where a score is no sum.
struct CutsAlone {};
template <class Score, std::size_t N>
struct CutsOf {
  using Type = CutsAlone;
};
template <Summed Score, std::size_t N>
struct CutsOf<Score, N> {
  using Type = CutsByEights<Score, N>;
};

template <class Score, std::size_t N, std::size_t V>
struct Scan {
  const ScanArgs& args;
  std::int32_t* left;  // scratch, or (V > 0) a copy of it that the compiler keeps in registers
  ScanResult best = {};
  typename CutsOf<Score, N>::Type cuts = {};

  LANES_INLINE std::size_t channels() const { return V > 0 ? V * N : args.criterion->channels; }
  LANES_INLINE const std::int32_t* sums(std::uint32_t bin) const {
    return args.histogram + bin * channels();
  }

  LANES_INLINE void start(bool missing_left) {
    const std::int32_t* const missing = sums(args.value_bins);
    for (std::size_t j = 0; j < channels(); j += N)
      store(left + j, missing_left ? load<Int<N>>(missing + j) : Int<N>{});
  }
  LANES_INLINE bool empty(std::uint32_t bin) const { return sums(bin)[kCountChannel] == 0; }
  LANES_INLINE void move_left(std::uint32_t bin) {
    for (std::size_t j = 0; j < channels(); j += N)
      store(left + j, load<Int<N>>(left + j) + load<Int<N>>(sums(bin) + j));
  }
  LANES_INLINE CutFit fit() const { return cut_fit(args, left); }
  LANES_INLINE void try_cut(std::uint32_t bin, bool missing_left) {
    if constexpr (Summed<Score>) {
      cuts.take(args, left, bin, missing_left, best);
    } else {
      const float score = Score::of(*args.criterion, left, args.total);
      if (score > best.score) best = {score, bin, missing_left};
    }
  }

  static ScanResult run(const ScanArgs& args, std::int32_t* scratch) {
    alignas(64) std::int32_t registers[V > 0 ? V * N : 1];
    Scan scan{args, V > 0 ? registers : scratch};
    const bool missing = args.has_missing && scan.sums(args.value_bins)[kCountChannel] > 0;
    for_numeric_cuts(scan, args.value_bins, missing);
    if constexpr (Summed<Score>) scan.cuts.finish(*args.criterion, scan.best);
    return scan.best;
  }
};

template <class Score, std::size_t N, std::size_t V>
struct ScoreOnce {
  static float run(const CriterionSpec& spec, const std::int32_t* left, const std::int32_t* total) {
    return Score::of(spec, left, total);
  }
};

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

}  // namespace

ScanResult scan(const ScanArgs& args, std::int32_t* left) {
  return with_length<Scan>(*args.criterion, args, left);
}

float score(const CriterionSpec& spec, const std::int32_t* left, const std::int32_t* total) {
  return with_length<ScoreOnce>(spec, spec, left, total);
}

}  // namespace simplexboost::SIMPLEXBOOST_ISA
